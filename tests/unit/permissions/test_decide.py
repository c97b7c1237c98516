"""Permission decisions: modes, the order of rules, and what a yes covers."""

import pytest

from agent_cli.core.errors import SettingsError
from agent_cli.core.tools import ReadPath, RunCommand, WritePath
from agent_cli.permissions.decide import Permissions
from agent_cli.permissions.remember import Remembered


@pytest.fixture
def make(work, home):
    def made(mode="ask", *, allow=(), ask=(), deny=(), tools=()):
        return Permissions(
            mode,
            allow=allow,
            ask=ask,
            deny=deny,
            root=work,
            inside=lambda path: path.is_relative_to(work),
            readable=lambda path: path.is_relative_to(work) or path.is_relative_to(home / "extra"),
            remembered=Remembered(home / "state" / "permissions.json"),
            protected=[home / "state", work / "transcripts"],
            tools=tools,
        )

    return made


def verdict(permissions, tool, *accesses, read_only=False):
    return permissions.decide(tool, accesses, read_only=read_only).verdict


MODES = ("ask", "accept-edits", "plan", "yolo")
TABLE = [
    ("read_file", lambda work, home: [ReadPath(work / "a")], "allow allow allow allow"),
    ("list_files", lambda work, home: [ReadPath(work)], "allow allow allow allow"),
    ("read_file", lambda work, home: [ReadPath(home / "extra" / "a")], "allow allow allow allow"),
    ("read_file", lambda work, home: [ReadPath(home / "a")], "ask ask ask allow"),
    ("write_file", lambda work, home: [WritePath(work / "a")], "ask allow deny allow"),
    ("write_file", lambda work, home: [WritePath(home / "a")], "ask ask deny allow"),
    ("write_file", lambda work, home: [WritePath(home / "extra" / "a")], "ask ask deny allow"),
    ("edit_file", lambda work, home: [ReadPath(work / "a"), WritePath(work / "a")], "ask allow deny allow"),
    ("edit_file", lambda work, home: [WritePath(work / "a"), WritePath(home / "a")], "ask ask deny allow"),
    ("edit_file", lambda work, home: [WritePath(work / ".git" / "config")], "ask ask deny allow"),
    (
        "edit_file",
        lambda work, home: [WritePath(work / "sub" / ".GIT" / "hooks" / "x")],
        "ask ask deny allow",
    ),
    ("edit_file", lambda work, home: [WritePath(work / ".agent" / "config.toml")], "ask ask deny allow"),
    ("edit_file", lambda work, home: [WritePath(work / ".bashrc")], "ask ask deny allow"),
    ("edit_file", lambda work, home: [WritePath(work / ".ssh" / "authorized_keys")], "ask ask deny allow"),
    ("edit_file", lambda work, home: [WritePath(work / "transcripts" / "x.jsonl")], "ask ask deny allow"),
    ("edit_file", lambda work, home: [WritePath(work / ".gitignore")], "ask allow deny allow"),
    ("shell", lambda work, home: [RunCommand("ls")], "ask ask deny allow"),
    ("todo", lambda work, home: [], "allow allow allow allow"),
    ("compact", lambda work, home: [], "allow allow allow allow"),
    ("recall", lambda work, home: [], "allow allow allow allow"),
    ("remote_tool", lambda work, home: [], "ask ask deny allow"),
]


@pytest.mark.parametrize(("tool", "accesses", "verdicts"), TABLE)
def test_what_each_mode_allows_by_itself(make, work, home, tool, accesses, verdicts):
    touched = accesses(work, home)
    assert " ".join(verdict(make(mode), tool, *touched) for mode in MODES) == verdicts


def test_a_read_only_tool_that_touches_nothing_is_allowed(make):
    assert verdict(make(), "clock", read_only=True) == "allow"


def test_the_mode_can_be_changed_while_it_runs(make, work):
    permissions = make()
    permissions.mode = "accept-edits"
    assert verdict(permissions, "write_file", WritePath(work / "a")) == "allow"


def test_c61_outside_names_the_real_target(make, home):
    decision = make().decide("write_file", [WritePath(home / "real")], read_only=False)
    assert str(home / "real") in decision.reason
    assert "outside" in decision.reason


def test_plan_tells_the_model_what_to_do_instead(make):
    decision = make("plan").decide("shell", [RunCommand("ls")], read_only=False)
    assert "Plan mode" in decision.reason
    assert "give the user your plan" in decision.reason


ORDER = [
    ({"allow": ["shell"]}, "allow"),
    ({"allow": ["shell(git *)"]}, "allow"),
    ({"allow": ["shell(ls)"]}, "ask"),
    ({"allow": ["shell(git *)"], "ask": ["shell(git push)"]}, "ask"),
    ({"allow": ["shell(git *)"], "ask": ["shell(git push)"], "deny": ["shell(git *)"]}, "deny"),
    ({"allow": ["shell"], "deny": ["shell"]}, "deny"),
    ({"allow": ["edit_file"], "deny": ["edit_file"]}, "ask"),
    ({"allow": ["grep, shell(git push)"]}, "allow"),
]


@pytest.mark.parametrize(("rules", "expected"), ORDER)
def test_deny_wins_over_ask_and_ask_over_allow(make, rules, expected):
    assert verdict(make(**rules), "shell", RunCommand("git push")) == expected


@pytest.mark.parametrize("mode", MODES)
def test_deny_rules_hold_in_every_mode_and_are_named(make, mode):
    decision = make(mode, deny=["shell(rm *)"]).decide("shell", [RunCommand("ls; rm x")], read_only=False)
    assert decision.verdict == "deny"
    assert "shell(rm *)" in decision.reason


def test_yolo_passes_ask_rules(make):
    assert verdict(make("yolo", ask=["shell"]), "shell", RunCommand("ls")) == "allow"


@pytest.mark.parametrize("mode", ["ask", "yolo"])
def test_a_command_that_could_hide_from_a_deny_rule_is_asked_about(make, mode):
    permissions = make(mode, allow=["shell"], deny=["shell(rm *)"])
    assert verdict(permissions, "shell", RunCommand("x=rm; $x f")) == "ask"
    assert verdict(permissions, "shell", RunCommand("pytest | tail")) == "allow"
    assert verdict(make(mode, allow=["shell"]), "shell", RunCommand("x=rm; $x f")) == "allow"


def test_allow_rules_never_open_plan_mode(make, work):
    permissions = make("plan", allow=["shell", "write_file"])
    assert verdict(permissions, "shell", RunCommand("ls")) == "deny"
    assert verdict(permissions, "write_file", WritePath(work / "a")) == "deny"


def test_a_rule_without_pattern_stays_in_the_workspace(make, work, home):
    permissions = make(allow=["write_file", "read_file"])
    assert verdict(permissions, "write_file", WritePath(work / "a")) == "allow"
    assert verdict(permissions, "write_file", WritePath(home / "a")) == "ask"
    assert verdict(permissions, "read_file", ReadPath(home / "a")) == "ask"


def test_a_path_pattern_may_reach_outside(make, home):
    permissions = make(allow=["read_file(~/notes/**)"])
    assert verdict(permissions, "read_file", ReadPath(home / "notes" / "a")) == "allow"
    assert verdict(permissions, "read_file", ReadPath(home / "other")) == "ask"


def test_guarded_files_need_a_rule_that_spells_them_out(make, work):
    hook = WritePath(work / ".git" / "hooks" / "pre-commit")
    assert verdict(make(allow=["write_file", "write_file(**)"]), "write_file", hook) == "ask"
    assert verdict(make(allow=["write_file(.git/hooks/*)"]), "write_file", hook) == "ask"
    assert verdict(make(allow=["write_file(.git/hooks/pre-commit)"]), "write_file", hook) == "allow"


def test_every_access_of_a_call_must_be_allowed(make, work):
    permissions = make(allow=["edit_file(src/**)"])
    inside, other = WritePath(work / "src" / "a"), WritePath(work / "b")
    assert verdict(permissions, "edit_file", inside) == "allow"
    assert verdict(permissions, "edit_file", inside, other) == "ask"
    assert verdict(make("yolo", deny=["edit_file(b)"]), "edit_file", inside, other) == "deny"


def test_a_rule_of_one_tool_says_nothing_about_another(make, work):
    assert verdict(make(allow=["edit_file(src/**)"]), "write_file", WritePath(work / "src" / "a")) == "ask"


def test_a_yes_for_the_session_covers_exactly_what_was_shown(make, work):
    permissions = make(ask=["shell(git *)"])
    permissions.allow_for_session("shell", [RunCommand("git push")])
    permissions.allow_for_session("write_file", [WritePath(work / "a")])
    assert verdict(permissions, "shell", RunCommand("git push")) == "allow"
    for wider in ("git push ", "git push -f", "git", "git push; rm x"):
        assert verdict(permissions, "shell", RunCommand(wider)) == "ask"
    assert verdict(permissions, "write_file", WritePath(work / "a")) == "allow"
    assert verdict(permissions, "write_file", WritePath(work / "a" / "b")) == "ask"
    assert verdict(permissions, "edit_file", WritePath(work / "a")) == "ask"
    assert verdict(make(), "shell", RunCommand("git push")) == "ask"


def test_c59_always_is_kept_for_the_project_and_never_widens(make, work, home):
    permissions = make()
    permissions.remember("shell", [RunCommand("pytest -q | tail -3")])
    permissions.remember("read_file", [ReadPath(home / "a")])
    again = make()
    assert verdict(again, "shell", RunCommand("pytest -q | tail -3")) == "allow"
    assert verdict(again, "shell", RunCommand("pytest -q | tail -4")) == "ask"
    assert verdict(again, "read_file", ReadPath(home / "a")) == "allow"
    assert verdict(again, "read_file", WritePath(home / "a")) == "ask"
    assert verdict(make(deny=["shell"]), "shell", RunCommand("pytest -q | tail -3")) == "deny"
    assert verdict(make(ask=["shell"]), "shell", RunCommand("pytest -q | tail -3")) == "ask"


def test_always_holds_for_a_tool_that_touches_nothing_by_name(make):
    make().remember("remote_tool", [])
    assert verdict(make(), "remote_tool") == "allow"
    assert verdict(make(), "other_tool") == "ask"


def test_a_wrong_rule_in_the_settings_is_never_passed_over(make):
    with pytest.raises(SettingsError, match=r"permissions\.deny.*Did you mean shell"):
        make(deny=["shel(rm *)"], tools=["shell"])
    with pytest.raises(SettingsError, match=r"permissions\.allow"):
        make(allow=["shell("])
