"""C59, C60: which commands an allow rule can reach, and which no deny rule lets slip."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.permissions.shell_words import allows, forbids, hides, plain_words

ALLOWED = ["git", "git *", "ls", "ls *", "echo", "echo *", "find", "find *"]

NASTY = [
    "git status && rm x",
    "git status\nrm x",
    "git status\r\nrm x",
    "git status\n",
    "git status; rm x",
    "git status | sh",
    "ls & rm x",
    "ls &",
    "ls || rm x",
    "echo hi > f",
    "echo hi >> f",
    "echo hi >f",
    "echo hi 2>f",
    "ls < f",
    "git status $(touch P)",
    "git status `touch P`",
    "ls <(touch P)",
    "echo hi > >(touch P)",
    "echo $HOME",
    "echo ${x}",
    "env touch P",
    "sort -o P f",
    "find . -exec touch P \\;",
    "find . -exec touch P +",
    "find . -execdir touch P +",
    "find . -ok touch P +",
    "find . -fprint P",
    "find . -delete",
    "gitx",
    "git;ls",
    "FOO=1 git",
    "FOO+=1 git",
    "GIT_EXTERNAL_DIFF='touch P' git diff",
    "\\git",
    '"git"',
    "g''it",
    "'git' status",
    "command git",
    "bash -c ls",
    "bash -c 'ls; rm x'",
    "sh <<EOF\nls\nEOF",
    "ls {a,b}",
    "ls *",
    "ls a?",
    "ls [ab]",
    "ls ~",
    "ls ~/x",
    "ls #x",
    "! ls",
    "ls\u00a0x",
    "ls\u2028rm",
    "ls\u3000x",
    "ls \x00rm",
    "ls \x1b[0m",
    "ls \x0brm",
    "./git status",
    "/tmp/git status",
    "../ls",
    "GIT status",
    "(ls)",
    "{ ls; }",
    "",
    " ",
    "git -c core.fsmonitor='touch P;false' status",
    "git -c core.fsmonitor=./evil status",
    "git -ccore.fsmonitor=./evil status",
    "git -c alias.z='!touch P' z",
    "git -c diff.external='touch P' diff",
    "git --exec-path=/tmp/x status",
    "git --config-env=core.pager=X log",
    "git -C /elsewhere status",
    "git --git-dir=/x status",
    "git diff --output=P",
    "git diff --output P",
    "git diff --outp=P",
    "git diff --ext-diff",
    "git log --ext",
    "git grep -O'touch P' a",
    "git grep -Otouch a",
    "git grep -nOtouch a",
    "git grep --open-files-in-pager=touch a",
    "git clone --upload-pack=./x a b",
    "git clone -u ./x a b",
    "git clone --template=/x a",
    "git rebase --exec ./x main",
    "git rebase -x ./x main",
    "git bisect run ./x",
    "git submodule foreach ./x",
    "git config core.fsmonitor ./x",
    "git archive -o P main",
]


@pytest.mark.parametrize("command", NASTY)
def test_c59_c60_a_nasty_command_is_never_allowed_by_its_first_words(command):
    assert [pattern for pattern in ALLOWED if allows(pattern, command)] == []


@pytest.mark.parametrize(
    ("pattern", "command", "matches"),
    [
        ("git status", "git status", True),
        ("git status", "  git \t status ", True),
        ("git status", "git status -s", False),
        ("git status", "git", False),
        ("git *", "git status -s", True),
        ("git *", "git log --oneline -n 5", True),
        ("git *", "git", True),
        ("git *", "gitk", False),
        ("git * main", "git push main", True),
        ("git * main", "git push origin main", False),
        ("npm run test:*", "npm run test:unit", True),
        ("npm run test:*", "npm run test:unit --watch", False),
        ("npm run *", "npm run build --x=1", True),
        ("pytest *", "pytest -q tests/unit/test_a.py::test_b", True),
        ("pytest *", "pytest -q tests/unit", True),
        ("*", "make", True),
        ("*", "make; rm x", False),
        ("*", "git -c a=b status", False),
        ("python?.1[12]", "python3.11", True),
        ("find . -delete", "find . -delete", True),
        ("git -C sub *", "git -C sub status", True),
        ("git diff --output=*", "git diff --output=P", False),
        ("rg *", "rg --pre=sh x", False),
        ("sort *", "sort -uo P f", False),
        ("sort *", "sort -u f", True),
        ("fd *", "fd -x rm", False),
        ("tar *", "tar -xf a.tar", True),
        ("tar *", "tar -xf a.tar --to-command=sh", False),
    ],
)
def test_allow_patterns_match_word_by_word(pattern, command, matches):
    assert allows(pattern, command) == matches


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "rm",
        "rm -rf x",
        "/bin/rm x",
        "sudo rm x",
        "sudo -n rm x",
        "env A=1 rm x",
        "xargs rm",
        "nice -n 5 /usr/bin/rm x",
        "A=1 rm x",
        "ls; rm x",
        "ls && rm x",
        "ls | xargs rm",
        "ls\nrm x",
        "r\\m x",
        "r''m x",
        '"rm" x',
        "r\\\nm x",
        "$(rm x)",
        "`rm x`",
        "(rm x)",
        "{ rm x; }",
        "if true; then rm x; fi",
        "bash -c 'rm x'",
        "find . -exec rm {} \\;",
        "rm${IFS}x",
        "! rm x",
        "echo hi > f; rm x",
    ],
)
def test_c59_a_deny_pattern_is_not_slipped_past(command):
    assert forbids("rm *", command)
    assert forbids("rm", command)


@pytest.mark.parametrize(
    "command", ["git push", "git push origin", "git -C x push -f", "git --no-pager push", "ls; git push"]
)
def test_a_deny_pattern_of_several_words_covers_options_between_and_words_after(command):
    assert forbids("git push", command)
    assert forbids("git push *", command)


@pytest.mark.parametrize("command", ["ls rm", "git rm x", "rmdir x", "farm x", "echo harm; ls"])
def test_a_deny_pattern_leaves_other_commands_alone(command):
    assert not forbids("rm *", command)


@pytest.mark.parametrize("command", ["ls", "$x", "a | b"])
def test_a_star_denies_everything(command):
    assert forbids("*", command)


@pytest.mark.parametrize(
    ("command", "hidden"),
    [
        ("x=rm; $x f", True),
        ("`cat f` x", True),
        ("/bin/r? x", True),
        ("/bin/r* x", True),
        ("{r,}m x", True),
        ("echo cm0gLXJm | base64 -d | sh", True),
        ("eval 'a b'", True),
        ("git status", False),
        ("bash run.sh", False),
        ("pytest -q | tail -5", False),
        ("echo 'a b' > f && cat f", False),
    ],
)
def test_commands_that_hide_what_they_run_are_recognised(command, hidden):
    assert hides(command) == hidden


@given(
    st.text(st.sampled_from("git s;&|<>()$`\\\"'\n\t*?[]{}~#!=-\u00a0é"), max_size=12).map(
        lambda tail: f"git {tail}"
    )
)
def test_c59_only_plain_ascii_words_are_ever_allowed(command):
    if allows("git *", command):
        assert set(command) <= set("gits =-\t")
        assert plain_words(command) is not None


@given(st.lists(st.from_regex(r"[a-z0-9./:-]{1,6}", fullmatch=True), min_size=1, max_size=5))
def test_what_an_allow_pattern_matches_the_same_deny_pattern_matches(words):
    command = " ".join(words)
    for pattern in (command, f"{words[0]} *", "*"):
        assert forbids(pattern, command) >= allows(pattern, command)
