"""How a tool is defined, and how the arguments a model wrote become the struct the tool takes."""

import difflib
import json
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from agent_cli import prompts
from agent_cli.core.models import ToolSpec
from agent_cli.core.ports import Tool
from agent_cli.core.tools import Access, ToolFailure, ToolOutput

Args = TypeVar("Args", bound=msgspec.Struct)


class BuiltinTool(ABC, Generic[Args]):
    """A tool of the product: a name, the struct of its arguments, a description in `prompts/tools/NAME.md`."""

    name: ClassVar[str]
    args_type: type[Args]
    read_only = False

    def __init__(self, **values: str) -> None:
        """`values` fill the places of the description, where it has any."""
        text = f"tools/{self.name}"
        description = prompts.fill(text, **values) if values else prompts.load(text)
        self.spec = ToolSpec(self.name, description, schema_of(self.args_type))

    @abstractmethod
    def title(self, args: Args) -> str:
        """The main argument in one line."""

    def access(self, args: Args) -> Sequence[Access]:
        """What the call would touch; nothing, unless a tool says otherwise."""
        return ()

    def preview(self, args: Args) -> str:
        """What a person needs to see before allowing the call."""
        return self.title(args)

    @abstractmethod
    async def run(self, args: Args, progress: Callable[[str], None]) -> ToolOutput:
        """Does it. Raises ToolFailure: the text goes to the model."""


def schema_of(args_type: type[msgspec.Struct]) -> dict[str, object]:
    """Returns the JSON Schema of a struct in the plain form every wire takes: references resolved, no titles, no
    null alternatives or null defaults."""
    schema = msgspec.json.schema(args_type)
    # A struct's docstring is for its maintainers; what the model needs to know of a field stands at the field.
    defs = {
        name: {k: v for k, v in body.items() if k != "description"} for name, body in schema["$defs"].items()
    }
    return _plain(schema, defs)


def parse_arguments(tool: Tool, raw_json: str) -> Any:
    """Returns the tool's argument struct from the JSON text a model wrote.

    Lenient where the meaning is plain: no text for no arguments, null for an optional field, "5" for 5, a list or the
    whole object written as a string. Raises ToolFailure: the text says what is wrong and which fields there are.
    """
    given = _object(tool, raw_json)
    properties = _properties(tool.spec)
    for field in given:
        if field not in properties:
            raise ToolFailure(
                f"{tool.spec.name}: unknown argument `{field}`.{_near(field, properties)}{_usage(tool.spec)}"
            )
    try:
        return msgspec.convert(_eased(tool, given), tool.args_type, strict=False)
    except msgspec.ValidationError as error:
        raise ToolFailure(f"{tool.spec.name}: {error}.{_usage(tool.spec)}") from error


def one_line(text: str, limit: int = 200) -> str:
    """The text in one line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _plain(node: Any, defs: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, defs) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(
            {**defs[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}, defs
        )
    choices = [choice for choice in node.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        node = {**choices[0], **{key: value for key, value in node.items() if key != "anyOf"}}
    if all(isinstance(value, str) for value in node.get("enum", [0])):
        node = {"type": "string", **node}
    dropped = {"title", "$defs"} | ({"default"} if node.get("default", 0) in (None, (), []) else set())
    return {
        key: {name: _plain(field, defs) for name, field in value.items()}
        if key == "properties"
        else _plain(value, defs)
        for key, value in node.items()
        if key not in dropped
    }


def _object(tool: Tool, raw_json: str) -> dict[str, Any]:
    try:
        # Raw newlines in strings are a common slip and unambiguous, hence strict=False.
        given = json.loads(raw_json, strict=False) if raw_json.strip() else {}
        given = json.loads(given, strict=False) if isinstance(given, str) else given
    except json.JSONDecodeError as error:
        raise ToolFailure(
            f"{tool.spec.name}: the arguments are not valid JSON: {error.msg} at line {error.lineno} column "
            f"{error.colno} of {len(raw_json):,} characters. Nothing was done; send the call again.{_usage(tool.spec)}"
        ) from None
    except RecursionError:
        raise ToolFailure(
            f"{tool.spec.name}: the arguments are nested too deeply.{_usage(tool.spec)}"
        ) from None
    if not isinstance(given, dict):
        raise ToolFailure(f"{tool.spec.name}: the arguments must be a JSON object.{_usage(tool.spec)}")
    return given


def _eased(tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    optional = {field.name for field in msgspec.structs.fields(tool.args_type) if not field.required}
    hints = get_type_hints(tool.args_type)
    eased = {name: value for name, value in given.items() if value is not None or name not in optional}
    for name, value in eased.items():
        if isinstance(value, str) and _is_list(hints[name]):
            eased[name] = _list_from(value)
    return eased


def _is_list(hint: Any) -> bool:
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_list(choice) for choice in get_args(hint))
    return get_origin(hint) in (list, tuple)


def _list_from(text: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return text


def _properties(spec: ToolSpec) -> dict[str, Any]:
    properties = spec.schema.get("properties", {})
    assert isinstance(properties, dict)
    return properties


def _near(field: str, properties: dict[str, Any]) -> str:
    inside = [name for name in properties if name in field or field in name]
    near = inside or difflib.get_close_matches(field, properties, n=1)
    return f" Did you mean `{near[0]}`?" if near else ""


def _usage(spec: ToolSpec) -> str:
    """The signature, for a model to try again with."""
    required = spec.schema.get("required", ())
    assert isinstance(required, list | tuple)
    fields = (
        f"{name}{'' if name in required else '?'}: {field.get('type', 'any')}"
        for name, field in _properties(spec).items()
    )
    return f" Usage: {spec.name}({', '.join(fields)})"
