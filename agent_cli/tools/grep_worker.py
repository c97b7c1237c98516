"""The search of `grep`, run as a program of its own: a pattern that never ends can then be stopped from outside.

Imports the standard library alone. Reads one JSON object from stdin: `pattern`, `ignore_case`, `context`, `files`,
`limit` (matches to return), `seconds`. Writes JSON lines: `{"file", "rows": [[line number, text, is match]]}` for
files with matches, and at the end `{"matches", "files", "binary", "large"}`; or `{"error"}` alone.
"""

import json
import re
import signal
import stat
import sys
import warnings
from pathlib import Path
from typing import Any

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_COUNTED = 10_000
MAX_LINE_CHARS = 300
SAMPLE_BYTES = 8 * 1024
_BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))


def main() -> None:
    """Runs one search."""
    job = json.load(sys.stdin)
    # The kernel ends this process even inside a match, should nobody be left to do it.
    signal.alarm(job["seconds"])
    warnings.simplefilter("ignore")
    try:
        pattern = re.compile(job["pattern"], re.IGNORECASE if job["ignore_case"] else 0)
    except (re.error, RecursionError, OverflowError) as error:
        _write({"error": str(error)})
        return
    counts = {"matches": 0, "files": 0, "binary": 0, "large": 0}
    for file in job["files"]:
        lines = _lines(Path(file), counts)
        hits = _hits(pattern, lines, MAX_COUNTED - counts["matches"])
        if hits:
            shown = dict(list(hits.items())[: max(0, job["limit"] - counts["matches"])])
            counts["matches"] += len(hits)
            counts["files"] += 1
            _write({"file": file, "rows": _rows(lines, shown, job["context"])} if shown else {})
        if counts["matches"] >= MAX_COUNTED:
            break
    _write(counts)


def _write(value: dict[str, Any]) -> None:
    if value:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()


def _lines(path: Path, counts: dict[str, int]) -> list[str]:
    """The file's lines; none for what is no text, too large or unreadable."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            return []
        if found.st_size > MAX_FILE_BYTES:
            counts["large"] += 1
            return []
        data = path.read_bytes()
    except OSError:
        return []
    bom, encoding = next((known for known in _BOMS if data.startswith(known[0])), (b"", "utf-8"))
    if encoding == "utf-8" and b"\0" in data[:SAMPLE_BYTES]:
        counts["binary"] += 1
        return []
    text = data[len(bom) :].decode(encoding, "replace")
    lines = re.split(r"\r\n|\n|\r", text)
    return lines[:-1] if lines[-1] == "" else lines


def _hits(pattern: re.Pattern[str], lines: list[str], limit: int) -> dict[int, int]:
    """Index of each matching line → where in it the match starts."""
    hits: dict[int, int] = {}
    for index, line in enumerate(lines):
        match = pattern.search(line)
        if match is None:
            continue
        hits[index] = match.start()
        if len(hits) >= limit:
            break
    return hits


def _rows(lines: list[str], hits: dict[int, int], context: int) -> list[tuple[int, str, bool]]:
    wanted = {near for index in hits for near in range(index - context, index + context + 1)}
    return [(i + 1, _cut(lines[i], hits.get(i, 0)), i in hits) for i in sorted(wanted) if 0 <= i < len(lines)]


def _cut(line: str, at: int) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    start = max(0, min(at - MAX_LINE_CHARS // 3, len(line) - MAX_LINE_CHARS))
    end = start + MAX_LINE_CHARS
    return (
        f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''} [{len(line):,} characters]"
    )


if __name__ == "__main__":
    main()
