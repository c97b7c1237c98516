"""Cleaning what programs and files gave before it enters the conversation (C47, C48). Linear in its input."""

import re

BINARY_SHARE = 0.1
"""Share of bytes that are no text from which a program's output is taken to be binary."""
BINARY_LEAST_BYTES = 64
BASE64_LONGEST = 2_000
BASE64_KEPT = 100
NO_OUTPUT = "(no output)"

_UTF16_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
# Classes that follow each other are disjoint and no repeat is nested, so matching never backtracks over a long run.
_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)(?P<csi>[0-?]*[ -/]*[@-~]?)"
    r"|\x1b[ -/]*[0-~]?"
)
_FRAME_START = {"G", "1G", "0G", "2K", "1K"}
_ERASES_LINE = {"2K", "1K"}
_ERASES_REST = {"K", "0K", "J", "0J"}
_ERASED = "\0"
_CONTROLS = {code: None for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r\b\x1b\x9b"}
_LEFT_OVER = {ord(char): None for char in "\b\x1b\x9b\0"}
# Where a long run matches nothing it must not be tried again from its middle, hence the look behind.
_CARRIAGE_RETURNS = re.compile(r"(?<!\r)\r+\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BASE64 = re.compile(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{BASE64_LONGEST + 1},}}={{0,2}}")


def clean(content: str | bytes) -> str:
    """Returns what a person would have seen: decoded, `\\r` overwrites applied, control sequences and NULs removed,
    halves of characters joined or replaced, long base64 shortened, "(no output)" where nothing is left. Output of a
    program that is no text becomes a note with its size in bytes. Cleaning twice changes nothing."""
    text = content if isinstance(content, str) else _decoded(content)
    text = _BASE64.sub(_shortened, plain(text))
    return text if text.strip() else NO_OUTPUT


def plain(text: str) -> str:
    """Returns the text as a terminal would leave it on the screen, line by line; only tabs and newlines are left of
    the control characters."""
    text = _CARRIAGE_RETURNS.sub("\n", text.translate(_CONTROLS))
    if "\x1b" in text or "\x9b" in text:
        text = _CARRIAGE_RETURNS.sub("\n", _SEQUENCE.sub(_without_sequence, text))
    if "\r" in text or "\b" in text or _ERASED in text:
        text = "\n".join(map(_overwritten, text.split("\n")))
    text = text.translate(_LEFT_OVER)
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _decoded(data: bytes) -> str:
    encoding = _UTF16_BOMS.get(data[:2]) or _utf16_by_shape(data)
    if encoding:
        return data.decode(encoding, "replace").removeprefix("\ufeff")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    junk = text.count("\ufffd") + len(text) - len(text.translate(_CONTROLS))
    if len(data) >= BINARY_LEAST_BYTES and junk > BINARY_SHARE * len(text):
        return f"[{len(data):,} bytes of binary data, not shown]"
    return text


def _utf16_by_shape(data: bytes) -> str:
    """UTF-16 without a mark: nearly every second byte is a NUL, always on the same side."""
    sample = data[: 4096 & ~1]
    half = len(sample) // 2
    if half < 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd * 10 >= half * 8 and even * 10 <= half:
        return "utf-16-le"
    return "utf-16-be" if even * 10 >= half * 8 and odd * 10 <= half else ""


def _without_sequence(match: re.Match[str]) -> str:
    """Nothing, or for those that overwrite a line the `\\r` and the erase mark that say the same."""
    code = match["csi"] or ""
    start = "\r" if code in _FRAME_START else ""
    return start + (_ERASED if code in _ERASES_LINE or code in _ERASES_REST else "")


def _overwritten(line: str) -> str:
    """One line after its overwrites: of earlier frames only what sticks out behind the later ones is seen."""
    frames = [_backspaced(frame) for frame in line.split("\r")]
    shown = ""
    for frame in reversed(frames):
        visible = frame.replace(_ERASED, "")
        shown += visible[len(shown) :]
        if _ERASED in frame:
            break
    return shown


def _backspaced(frame: str) -> str:
    if "\b" not in frame:
        return frame
    kept: list[str] = []
    for char in frame:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


def _shortened(match: re.Match[str]) -> str:
    run = match[0]
    head = run[:BASE64_LONGEST]
    mixed = (
        any(c.isdigit() for c in head) and any(c.islower() for c in head) and any(c.isupper() for c in head)
    )
    return f"{run[:BASE64_KEPT]}…[{len(run) - BASE64_KEPT:,} characters of base64 left out]" if mixed else run
