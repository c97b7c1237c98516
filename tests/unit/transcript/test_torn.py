"""C68: a session cut anywhere is mended before anything is added."""

import pytest

from agent_cli.transcript.reader import read
from agent_cli.transcript.writer import TranscriptWriter
from tests.unit.transcript.sample import ONE_OF_EACH, header, message, written

LAST = message("m5", "schön 日本 🎉")


def go_on(path, *entries):
    writer = TranscriptWriter.resume(path)
    for entry in entries:
        writer.append(entry)
    writer.close()


def test_c68_a_file_cut_at_every_byte_of_its_last_record_loses_nothing_else(work):
    whole = written(work / "t", *ONE_OF_EACH, LAST).read_bytes()
    start = whole[:-1].rfind(b"\n") + 1
    for cut in range(start, len(whole) + 1):
        path = work / f"20261201-100000-cut{cut}.jsonl"
        path.write_bytes(whole[:cut])
        kept = (LAST,) if cut >= len(whole) - 1 else ()
        assert read(path).torn == (start < cut < len(whole) - 1)
        go_on(path, message("m6"))
        go_on(path, message("m7"))
        found = read(path)
        assert found.entries == (*ONE_OF_EACH, *kept, message("m6"), message("m7"))
        assert (found.header, found.skipped, found.torn) == (header(), 0, False)
        torn = path.with_suffix("") / "torn-1"
        assert (torn.read_bytes() if torn.exists() else b"") == (whole[start:cut] if not kept else b"")


def test_c68_a_file_cut_within_its_header_gets_one_from_its_name(work):
    whole = written(work / "t", message()).read_bytes()
    for cut in range(whole.find(b"\n")):
        path = work / f"20261201-100000-id{cut}.jsonl"
        path.write_bytes(whole[:cut])
        go_on(path, message())
        found = read(path)
        assert found.header.session == f"id{cut}"
        assert found.header.created == "2026-12-01T10:00:00+00:00"
        assert found.entries == (message(),)


def test_c68_each_torn_end_is_kept(work):
    path = written(work / "t", message())
    for number, tail in enumerate(
        [b'{"type":"mess', b"\x00" * 70_000, b'{"type":"message","id":"\xe6\x97'], 1
    ):
        with path.open("ab") as file:
            file.write(tail)
        go_on(path)
        assert (path.with_suffix("") / f"torn-{number}").read_bytes() == tail
    assert read(path).entries == (message(),)


def test_c68_a_whole_record_of_an_unknown_type_without_newline_is_kept(work):
    path = written(work / "t", message())
    with path.open("ab") as file:
        file.write(b'{"type":"later","id":"z1"}')
    go_on(path, message("m2"))
    found = read(path)
    assert (found.entries, found.unknown, found.skipped) == ((message(), message("m2")), 1, 0)


@pytest.mark.parametrize(
    "line", [b"{}", b"null", b"[1]", b'{"type":3}', b"[" * 100_000, b"\xff\xfe", b'{"type":"message"}']
)
def test_damaged_lines_are_counted_and_skipped(work, line):
    path = written(work / "t", message())
    with path.open("ab") as file:
        file.write(line + b"\n\n")
    go_on(path, message("m2"))
    found = read(path)
    assert (found.entries, found.skipped) == ((message(), message("m2")), 1)
