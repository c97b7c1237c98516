"""What programs print, as a person would have seen it (C47, C48)."""

import base64
import random
import time
from pathlib import Path

import pytest

from agent_cli.tools.text import NO_OUTPUT, clean


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (b"\xf0\xff\x00abc", "\ufffd\ufffdabc"),
        (b"h\x00i\x00", "hi"),
        ("hé\n".encode("utf-16"), "hé\n"),
        ("hello world\n".encode("utf-16-be"), "hello world\n"),
        (b"\xef\xbb\xbfok", "ok"),
        ("größe 中文 😀".encode(), "größe 中文 😀"),
        ("\ud83d\ude00 \ud83d x \udcff", "😀 \ufffd x \ufffd"),
    ],
)
def test_c47_bytes_become_text_whatever_they_are(given, shown):
    assert clean(given) == shown


def test_c47_a_compiled_program_becomes_a_note_with_its_size():
    program = Path("/bin/bash").read_bytes()[:100_000]
    assert clean(program) == "[100,000 bytes of binary data, not shown]"
    assert "binary" in clean(random.Random(1).randbytes(5000))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("".join(f"\rDownload {i}%" for i in range(1, 501)) + "\n", "Download 500%\n"),
        ("\x1b[31mred\x1b[0m\x1b[2K\x1b[1A\x1b]0;title\x07", NO_OUTPUT),
        ("\x1b[31mred\x1b[0m\x1b[1A\x1b]0;title\x07\x1b[?25l", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\a\x1b(B\x1b=b\x9b1mc", "abc"),
        ("line\r\n" * 1000, "line\n" * 1000),
        ("a\r\r\nb", "a\nb"),
        ("abcdef\rXY", "XYcdef"),
        ("a long line\r\x1b[Kshort", "short"),
        ("a long line\x1b[2K\rnew", "new"),
        ("working\x1b[1G\x1b[0Kdone", "done"),
        ("50%\x1b[K\r100%\x1b[K\n", "100%\n"),
        ("done\r", "done"),
        ("N\bNA\bAM\bM\bME\bE", "NAME"),
        ("tab\tstays\x0b\x0c\x07", "tab\tstays"),
        ("\x1b]0;never ended\nnext line stays", "\nnext line stays"),
        ("\x1b[\x1b[31m31m", "31m"),
    ],
)
def test_c48_overwrites_and_control_sequences(given, shown):
    assert clean(given) == shown


@pytest.mark.parametrize("blank", ["", b"", " \n\t", "\r\n", "\0", "\x1b[0m"])
def test_nothing_visible_is_said(blank):
    assert clean(blank) == NO_OUTPUT


def test_long_base64_is_shortened_and_other_long_runs_are_not():
    code = base64.b64encode(random.Random(1).randbytes(30_000)).decode()
    shown = clean(f'src="data:image/png;base64,{code}"')
    assert code[:100] in shown
    assert "39,900 characters of base64 left out" in shown
    assert len(shown) < 250
    assert clean("x" * 10_000) == "x" * 10_000
    assert clean(code[:2000]) == code[:2000]


@pytest.mark.parametrize(
    "piece",
    [
        "\x1b]",
        "\x1b[",
        "\x1b[1;",
        "\r",
        "\b",
        "a\b",
        "\x1b[K\r",
        "A1b" * 600 + " ",
        "\x1bP",
        "\x9b",
        "\r\n\r",
    ],
)
def test_cleaning_is_linear(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        started = time.perf_counter()
        clean(text)
        return time.perf_counter() - started

    seconds(10_000)
    assert seconds(1_000_000) < 3.0
