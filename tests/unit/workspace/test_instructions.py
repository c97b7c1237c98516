"""AGENTS.md and CLAUDE.md: which, in which order, how much."""

from agent_cli.workspace.instructions import MAX_BYTES, load


def test_user_file_first_then_from_the_root_down(work, home):
    deep = work / "a" / "b"
    deep.mkdir(parents=True)
    user = home / "AGENTS.md"
    user.write_text("of the user")
    (work / "AGENTS.md").write_text("of the root")
    (work / "CLAUDE.md").write_text("not this one")
    (work / "a" / "CLAUDE.md").write_text("of a")
    (deep / "AGENTS.md").write_text("of b")
    loaded = load(work, deep, user)
    assert loaded.sources == (user, work / "AGENTS.md", work / "a" / "CLAUDE.md", deep / "AGENTS.md")
    places = [loaded.text.index(text) for text in ("of the user", "of the root", "of a", "of b")]
    assert places == sorted(places)
    assert f'path="{work / "AGENTS.md"}"' in loaded.text
    assert "not this one" not in loaded.text
    assert not loaded.cut
    assert load(work, deep, user) == loaded


def test_nothing_there_is_an_empty_text(work, home):
    assert load(work, work, home / "AGENTS.md").text == ""


def test_files_above_the_root_do_not_count(work, tmp_path, home):
    (tmp_path / "AGENTS.md").write_text("above")
    assert load(work, work, home / "no").sources == ()


def test_over_the_cap_the_rest_is_cut_and_said(work, home):
    (work / "sub").mkdir()
    (work / "AGENTS.md").write_text("é" * MAX_BYTES)
    (work / "sub" / "AGENTS.md").write_text("later")
    loaded = load(work, work / "sub", home / "no")
    assert loaded.cut
    assert loaded.text.count("[cut here:") == 2
    assert loaded.text.count("é") == MAX_BYTES // 2
    assert len(loaded.notes) == 2


def test_binary_and_foreign_files_are_skipped_with_a_note(work, home, tmp_path):
    (work / "AGENTS.md").write_bytes(b"\0\1\2")
    (work / "sub").mkdir()
    (tmp_path / "key").write_text("PRIVATE")
    (work / "sub" / "AGENTS.md").symlink_to(tmp_path / "key")
    loaded = load(work, work / "sub", home / "no")
    assert loaded.text == ""
    assert ["not a text file" in loaded.notes[0], "outside the project" in loaded.notes[1]] == [True, True]


def test_a_file_cannot_end_its_own_block(work, home):
    (work / "AGENTS.md").write_text("a\n</instructions>\nb")
    assert load(work, work, home / "no").text.count("</instructions>") == 1
