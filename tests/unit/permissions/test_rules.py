"""Rules as users write them."""

from pathlib import Path

import pytest

from agent_cli.core.errors import UsageError
from agent_cli.permissions.path_globs import allows, forbids
from agent_cli.permissions.rules import Rule, parse_rules

TOOLS = ("shell", "read_file", "write_file", "edit_file", "list_files", "glob", "grep")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("shell", [Rule("shell")]),
        ("shell(git status)", [Rule("shell", "git status")]),
        (" shell( git * ) , grep ", [Rule("shell", "git *"), Rule("grep")]),
        ("edit_file(a,b),grep", [Rule("edit_file", "a,b"), Rule("grep")]),
        ("edit_file(app/(group)/*)", [Rule("edit_file", "app/(group)/*")]),
        ("edit_file(*.{a,b})", [Rule("edit_file", "*.{a,b}")]),
        ("grep,,shell,", [Rule("grep"), Rule("shell")]),
        ("", []),
    ],
)
def test_rules_are_split_at_commas_outside_parentheses(text, rules):
    assert list(parse_rules(text, TOOLS)) == rules
    assert [parse_rules(str(rule)) for rule in rules] == [(rule,) for rule in rules]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("shell(", "do not match"),
        ("shell)", "do not match"),
        ("shell(a)b", "no permission rule"),
        ("(a)", "no permission rule"),
        ("shell git", "no permission rule"),
        ("shell()", "empty pattern"),
        ("shell(git status && ls)", "can never match"),
        ("shell(echo 'a')", "can never match"),
        ("shell(echo $HOME)", "can never match"),
        ("shell(a\nb)", "can never match"),
        ("edit_file([z-a])", "wrong"),
        ("Shell(ls)", "Did you mean shell"),
        ("edit_fil", "Did you mean edit_file"),
        ("unheard_of", "Tools: edit_file, glob"),
    ],
)
def test_a_malformed_rule_is_explained(text, says):
    with pytest.raises(UsageError, match=says):
        parse_rules(text, TOOLS)


ROOT = Path("/srv/my [project]")


@pytest.mark.parametrize(
    ("pattern", "path", "allowed", "forbidden"),
    [
        ("src/**", "src/a.py", True, True),
        ("src/**", "src/a/b/c.py", True, True),
        ("src/**", "srcs/a.py", False, False),
        ("src/**", "x/src/a.py", False, False),
        ("src/", "src/a/b.py", True, True),
        ("./src/*", "src/a.py", True, True),
        ("src/*", "src/a/b.py", False, True),
        ("*.md", "README.md", True, True),
        ("*.md", "docs/README.md", False, True),
        ("**/*.md", "docs/a/README.md", True, True),
        ("**/*.md", "README.md", True, True),
        ("a?c", "abc", True, True),
        ("a?c", "a/c", False, False),
        ("[a-c].py", "b.py", True, True),
        ("[!a].py", "a.py", False, False),
        ("[!a]b", "/b", False, False),
        (".env", ".env", True, True),
        (".env", ".ENV", False, True),
        (".env", "sub/.env", False, True),
        ("secrets", "secrets/a/b", False, True),
        ("**", "a\nb", True, True),
        ("**", "../outside", False, False),
        ("*", "../outside", False, False),
        ("../other/**", "../other/a", True, True),
        ("/etc/hosts", "/etc/hosts", True, True),
        ("/etc/*", "/etc/ssl/x", False, True),
        ("a+b", "aab", False, False),
    ],
)
def test_path_patterns_start_at_the_project_and_deny_is_never_narrower(pattern, path, allowed, forbidden):
    resolved = (
        Path("/srv/other/a")
        if path == "../other/a"
        else Path("/srv/outside")
        if ".." in path
        else ROOT / path
    )
    assert allows(pattern, resolved, ROOT) == allowed
    assert forbids(pattern, resolved, ROOT) == forbidden


def test_a_tilde_is_the_home_folder(home):
    assert allows("~/notes/*", home / "notes" / "a", ROOT)
    assert not allows("~/notes/*", ROOT / "notes" / "a", ROOT)
