"""Bytes to text and back without a loss (C51, C52)."""

import pytest

from agent_cli.workspace.decode import decode, split_lines


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"a\r\nb", "a\r\nb", "utf-8"),
        (b"\xef\xbb\xbfhi", "hi", "utf-8"),
        (b"\xff\xfeh\0i\0", "hi", "utf-16-le"),
        (b"\xfe\xff\0h\0i", "hi", "utf-16-be"),
        (b"\xff\xfe\0\0h\0\0\0", "h", "utf-32-le"),
        (b"caf\xe9", "caf\udce9", "utf-8"),
        (b"\xff\xfeh\0i", "\udcff\udcfeh\0i", "utf-8"),
    ],
)
def test_c52_every_encoding_goes_back_to_the_same_bytes(data, text, encoding):
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decoded.encode(decoded.text) == data


@pytest.mark.parametrize(
    ("text", "newline"),
    [("a", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\nb\n", "\n"), ("a\rb\r", "\r"), ("", "\n")],
)
def test_c51_the_main_line_end_is_known(text, newline):
    assert decode(text.encode()).newline == newline


def test_legacy_is_a_file_without_one_proper_character_beyond_ascii():
    assert decode(b"caf\xe9").legacy
    assert not decode("é".encode() + b"\xff").legacy
    assert not decode(b"plain").legacy
    assert decode(b"a\xe9\xff").stray_bytes == 2


def test_lines_end_at_any_line_end_and_the_last_may_lack_it():
    assert split_lines("a\r\nb\rc\n\nd") == ["a", "b", "c", "", "d"]
    assert split_lines("a\n") == ["a"]
    assert split_lines("") == []
    assert split_lines("a\x0bb\u2028c") == ["a\x0bb\u2028c"]
