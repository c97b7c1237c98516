"""What models write as arguments, and what they are told when it does not fit."""

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from agent_cli.core.tools import ToolFailure
from agent_cli.tools.base import parse_arguments, schema_of


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Not for the model."""

    title: str


class Outer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="whose")]
    count: Annotated[int | None, Meta(description="how many")] = None
    inner: tuple[Inner, ...] = ()


def test_a_schema_is_plain():
    assert schema_of(Outer) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "whose"},
            "count": {"type": "integer", "description": "how many"},
            "inner": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"title": {"type": "string"}},
                    "required": ["title"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def parsed(tools, name, text):
    return parse_arguments(tools.by_name[name], text)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ('{"path": "a", "offset": "5"}', 5),
        ('{"path": "a", "offset": 5.0}', 5),
        ('{"path": "a", "offset": null}', None),
        ('"{\\"path\\": \\"a\\"}"', None),
    ],
)
def test_plain_slips_are_understood(tools, text, offset):
    args = parsed(tools, "read_file", text)
    assert (args.path, args.offset) == ("a", offset)


def test_a_list_written_as_text_and_a_raw_newline_are_understood(tools):
    todo = parsed(tools, "todo", '{"items": "[{\\"text\\": \\"x\\", \\"status\\": \\"done\\"}]"}')
    assert todo.items[0].text == "x"
    assert parsed(tools, "write_file", '{"path": "a", "content": "x\ny"}').content == "x\ny"
    assert parsed(tools, "compact", "").focus is None


def test_text_that_looks_like_something_else_stays_text(tools):
    for content in ("null", "5", "[1]", "true"):
        args = parsed(tools, "write_file", f'{{"path": "a", "content": "{content}"}}')
        assert args.content == content


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("read_file", '{"path": "a"', ["not valid JSON", "line 1 column"]),
        ("read_file", "[1]", ["must be a JSON object"]),
        ("read_file", "{}", ["missing required field `path`", "read_file(path: string, offset?: integer"]),
        ("read_file", '{"file_path": "a"}', ["unknown argument `file_path`", "Did you mean `path`?"]),
        ("shell", '{"comand": "ls"}', ["Did you mean `command`?"]),
        ("read_file", '{"path": 5}', ["Expected `str`, got `int`", "$.path"]),
        ("read_file", '{"path": "a", "limit": "many"}', ["Expected", "$.limit"]),
        ("todo", '{"items": [{"text": "x", "status": "doing"}]}', ["doing", "$.items[0].status"]),
        ("todo", '{"items": "none"}', ["Expected `array`"]),
        ("shell", '{"command": null}', ["Expected `str`, got `null`"]),
        ("read_file", "[" * 100_000, ["nested too deeply"]),
    ],
)
def test_wrong_arguments_are_explained(tools, name, text, told):
    with pytest.raises(ToolFailure) as failure:
        parsed(tools, name, text)
    for part in told:
        assert part in str(failure.value)
    assert len(str(failure.value)) < 600


def test_default_tools_have_a_fixed_order_and_small_definitions(tools):
    assert list(tools.by_name) == [
        "read_file", "write_file", "edit_file", "list_files", "glob", "grep", "shell", "todo", "compact",
    ]  # fmt: skip
    # Bytes are no tokens, but no tokenizer makes more than one of three characters of plain English and JSON.
    specs = msgspec.json.encode([tool.spec for tool in tools.by_name.values()])
    assert len(specs) / 3 < 2_200
