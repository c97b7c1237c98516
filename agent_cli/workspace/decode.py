"""Bytes of a text file as text and back, exactly: encoding, byte order mark and line ends survive (C51, C52)."""

import re
from dataclasses import dataclass

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_STRAY = re.compile("[\udc80-\udcff]")
_READABLE = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text file's content. `text` has no byte order mark and the line ends as they are in the file; bytes that are
    not UTF-8 are kept as lone surrogates. `newline` is the line end that occurs most, `\\n` where there is none."""

    text: str
    encoding: str
    bom: bytes
    newline: str

    def encode(self, text: str) -> bytes:
        """Returns the bytes of the file with `text` as its content; `encode(self.text)` gives the bytes read.

        Raises UnicodeEncodeError: the text cannot be written in this encoding.
        """
        return self.bom + text.encode(self.encoding, _errors(self.encoding))

    @property
    def stray_bytes(self) -> int:
        """How many bytes are not valid in the encoding."""
        return len(_STRAY.findall(self.text))

    @property
    def legacy(self) -> bool:
        """Whether the file is in an unknown 8-bit encoding: stray bytes, and not one proper character beyond ASCII."""
        return self.stray_bytes > 0 and _READABLE.search(self.text) is None


def decode(data: bytes) -> Decoded:
    """Decodes by byte order mark, else as UTF-8 with stray bytes kept. Never fails and always encodes back to the
    same bytes."""
    bom, encoding = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", "utf-8"))
    try:
        text = data[len(bom) :].decode(encoding, _errors(encoding))
    except UnicodeDecodeError:  # half a character at the end, or not what the mark says
        bom, encoding = b"", "utf-8"
        text = data.decode(encoding, _errors(encoding))
    return Decoded(text, encoding, bom, _main_line_end(text))


def _errors(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _main_line_end(text: str) -> str:
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda end: counts[end])


def line_ends(text: str) -> list[str]:
    """The line ends of the text in order: `\\n`, `\\r\\n` or a lone `\\r`."""
    return _LINE_END.findall(text)


def split_lines(text: str) -> list[str]:
    """The lines without their ends; the empty piece after a final line end is no line."""
    lines = _LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines
