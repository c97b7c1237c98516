"""`docs/transcript.md` names every entry, part and field, and its example is a transcript."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from agent_cli.core.entries import Entry, Header
from agent_cli.core.messages import Part
from agent_cli.core.usage import Usage
from agent_cli.transcript.lines import encode
from agent_cli.transcript.reader import read

PAGE = (Path(__file__).parents[3] / "docs" / "transcript.md").read_text()
STRUCTS = (Header, *get_args(Entry), *get_args(Part))


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_the_page_names_every_type_with_its_fields(struct):
    rows = re.findall(rf"^\| `{struct.__struct_config__.tag}` \| (.*)$", PAGE, re.MULTILINE)
    assert len(rows) == 1
    fields = {field.name for field in msgspec.structs.fields(struct)} - (
        {"id", "ts"} if struct not in get_args(Part) else set()
    )
    named = set(re.findall(r"`(\w+)`", rows[0]))
    assert fields - named == set()


def test_the_page_names_what_a_usage_holds():
    for field in msgspec.structs.fields(Usage):
        assert f"`{field.name}`" in PAGE


def test_the_example_is_a_transcript_as_we_write_it(work):
    (example,) = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    (work / "x.jsonl").write_text(example)
    found = read(work / "x.jsonl")
    assert (found.skipped, found.unknown, found.torn) == (0, 0, False)
    assert len(found.entries) == example.count("\n") - 1
    assert b"".join(map(encode, (found.header, *found.entries))).decode() == example
