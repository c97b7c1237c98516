"""Texts of others, safe to show: a control character is a sign, not an order to the terminal (C63)."""

_PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"}
_VISIBLE = {**_PICTURES, 0x7F: "␡", **dict.fromkeys(range(0x80, 0xA0), "�")}


def visible(text: str) -> str:
    """The text with every control character but tab and newline replaced by its picture."""
    return text.translate(_VISIBLE)
