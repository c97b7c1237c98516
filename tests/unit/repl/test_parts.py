"""Parts of the interactive front end that need no terminal."""

import asyncio
import functools
import itertools
import os
import pty
import stat
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.keys import Keys
from prompt_toolkit.utils import get_cwidth

from agent_cli import app
from agent_cli.repl.complete import Suggest
from agent_cli.repl.compose import FOLD_LINES, Compose, Draft
from agent_cli.repl.files import ProjectFiles, closeness
from agent_cli.repl.history import LONGEST, ProjectHistory
from agent_cli.repl.live import Live, Running, broken, fit, tail
from agent_cli.repl.menu import QUIET_SECONDS, Choice, Menu
from agent_cli.repl.terminal import TerminalInput
from agent_cli.repl.toolbar import short


def in_loop(test):
    """The input's completion runs as a task of a loop."""

    @functools.wraps(test)
    def wrapped(*args, **kwargs):
        async def run():
            test(*args, **kwargs)

        asyncio.run(run())

    return wrapped


def compose(tmp_path) -> Compose:
    return Compose(Suggest(app.COMMANDS, ProjectFiles(tmp_path), lambda: None), InMemoryHistory())


@in_loop
def test_a_long_paste_is_a_mark_on_screen_and_whole_when_sent(tmp_path):
    written = compose(tmp_path)
    text = "\n".join(map(str, range(FOLD_LINES + 2)))
    written.buffer.insert_text("see ")
    written.paste(text)
    assert written.buffer.text.startswith("see [paste 1: ")
    draft = written.take()
    assert draft is not None
    assert (draft.text, draft.literal) == (f"see {text}", True)
    assert written.empty


@in_loop
def test_c65_a_short_paste_stays_readable_and_one_without_newline_may_be_a_command(tmp_path):
    written = compose(tmp_path)
    written.paste("/help")
    assert written.take() == Draft("/help", "/help", literal=False)


@in_loop
def test_what_comes_back_stands_before_what_is_written(tmp_path):
    written = compose(tmp_path)
    written.buffer.insert_text("new")
    written.give_back([Draft("one", "one"), Draft("two", "two")])
    assert written.buffer.text == "one\ntwo\nnew"


@in_loop
def test_what_is_set_aside_comes_back_with_its_pastes(tmp_path):
    written = compose(tmp_path)
    long = "x\n" * 50
    written.paste(long)
    restore = written.set_aside()
    written.buffer.insert_text("other")
    restore()
    draft = written.take()
    assert draft is not None
    assert draft.text == long.strip("\n")


@in_loop
def test_nothing_is_sent_when_nothing_is_written(tmp_path):
    written = compose(tmp_path)
    written.buffer.insert_text("  \n ")
    assert written.take() is None


def test_history_is_newest_first_private_and_survives_damage(tmp_path):
    path = tmp_path / "deep" / "history.jsonl"
    history = ProjectHistory(path)
    history.store_string("first\nwith two lines")
    history.store_string("x" * (LONGEST + 1))
    with path.open("a") as file:
        file.write("{torn\n")
    history.store_string("日本")
    assert list(ProjectHistory(path).load_history_strings()) == ["日本", "first\nwith two lines"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_files_are_found_by_letters_in_order_best_first(tmp_path):
    for name in ("src/parser.py", "src/deep/split_parser.py", "parser_test.py", "readme.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = ProjectFiles(tmp_path).matching("parser")
    assert found == ["src/parser.py", "parser_test.py", "src/deep/split_parser.py"]
    assert ProjectFiles(tmp_path).matching("rdm") == ["readme.md"]


@given(st.text("abc/", max_size=8), st.text("abc/", max_size=12))
def test_closeness_is_none_exactly_when_letters_are_missing_in_order(wanted, path):
    letters = iter(path)
    assert (closeness(wanted, path) is not None) == all(letter in letters for letter in wanted)


def suggestions(suggest: Suggest, text: str) -> list[str]:
    return [found.text for found in suggest.get_completions(Document(text), CompleteEvent())]


def test_commands_are_suggested_at_the_start_only(tmp_path):
    suggest = Suggest(app.COMMANDS, ProjectFiles(tmp_path), lambda: None)
    assert "/compress" in suggestions(suggest, "/com")
    assert "/compact" in suggestions(suggest, "/compa")
    assert suggestions(suggest, "see /com") == []
    assert suggestions(suggest, "a\n/com") == []


def menu(**options) -> Menu:
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    loop.close()
    choices = (Choice("once", "yes", "y"), Choice("no", "no", "n"), Choice("third", "more"))
    return Menu("?", choices, future, **options)


def test_c65_a_guarded_menu_takes_keys_only_after_a_pause():
    asked = menu(guarded=True)
    asked.touch()
    assert not asked.armed
    time.sleep(QUIET_SECONDS + 0.02)
    asked.touch()
    assert asked.armed


def test_c65_every_key_begins_the_pause_anew():
    asked = menu(guarded=True)
    for _ in range(4):
        time.sleep(QUIET_SECONDS / 3)
        asked.touch()
    assert not asked.armed


def test_numbers_move_and_other_keys_do_nothing():
    asked = menu()
    asked.press("3")
    asked.press("9")
    asked.press("x")
    asked.press("é")
    assert asked.at == 2
    asked.move(1)
    assert asked.at == 0


@given(st.text(max_size=60), st.integers(2, 30))
def test_c67_rows_never_pass_the_width(text, width):
    assert all(get_cwidth(row) <= width for row in broken(text.replace("\n", ""), width))
    assert get_cwidth(fit(text, width)) < width or get_cwidth(text) < width
    assert len(tail(text, width, 3)) <= 3


def test_the_live_area_shows_what_runs_and_nothing_when_idle():
    live = Live()
    assert live.fragments(80, 24) == []
    live.begin("running shell")
    live.tools["c"] = Running("shell", "make", output="a\nb\nc\nd\n")
    text = "".join(fragment[1] for fragment in live.fragments(80, 24))
    assert "○ shell make\n  b\n  c\n  d\n" in text
    assert text.endswith("running shell 0 s · Esc stops")


@pytest.mark.parametrize(
    ("tokens", "text"),
    [(0, "0"), (950, "950"), (12_345, "12.3k"), (99_960, "100k"), (999_600, "1.0M"), (1_234_567, "1.2M")],
)
def test_tokens_are_short(tokens, text):
    assert short(tokens) == text


@pytest.mark.parametrize("cuts", [[5], [1, 2, 3, 7, 9, 12], list(range(1, 40))], ids=str)
def test_c65_a_paste_is_one_key_however_it_arrives(cuts):
    text = b"a\x1b[200~one\ny\x1b[20two\x1b[201~b"
    leader, follower = pty.openpty()
    try:
        import tty

        tty.setraw(follower)
        with os.fdopen(os.dup(follower), "r") as stdin:
            source, keys = TerminalInput(stdin), []
            edges = [0, *[cut for cut in cuts if cut < len(text)], len(text)]
            for start, end in itertools.pairwise(edges):
                os.write(leader, text[start:end])
                keys += source.read_keys()
            keys += source.flush_keys()
    finally:
        os.close(leader)
        os.close(follower)
    assert [(key.key, key.data) for key in keys] == [
        ("a", "a"),
        (Keys.BracketedPaste, "one\ny\x1b[20two"),
        ("b", "b"),
    ]


def test_c50_a_hung_up_terminal_reads_as_closed():
    leader, follower = pty.openpty()
    with os.fdopen(follower, "r") as stdin:
        source = TerminalInput(stdin)
        os.close(leader)
        assert source.read_keys() == []
        assert source.closed
