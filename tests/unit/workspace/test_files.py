"""Reading by type and bounded; writing atomic, with mode and links kept (C56)."""

import os
import socket
import stat
import subprocess
import sys
import time

import pytest

from agent_cli.core.tools import ToolFailure
from agent_cli.workspace.files import is_binary, read_bytes, write_whole


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_pipe_a_socket_a_device_and_a_folder_are_refused_at_once(work):
    os.mkfifo(work / "pipe")
    server = socket.socket(socket.AF_UNIX)
    server.bind("s")
    started = time.monotonic()
    for path, kind in ((work / "pipe", "pipe"), (work / "s", "socket"), (work, "directory")):
        with pytest.raises(ToolFailure, match=kind):
            read_bytes(path)
        with pytest.raises(ToolFailure, match=kind):
            write_whole(path, b"x")
    with pytest.raises(ToolFailure, match="device"):
        read_bytes(work / ".." / ".." / ".." / ".." / ".." / ".." / ".." / "dev" / "zero")
    server.close()
    assert time.monotonic() - started < 1


def test_a_sparse_file_over_the_limit_is_refused_with_its_size(work):
    path = work / "huge"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ToolFailure, match="1,099,511,627,776 bytes"):
        read_bytes(path, limit=1000)


def test_a_missing_file_is_told_apart(work):
    with pytest.raises(FileNotFoundError):
        read_bytes(work / "no")


@pytest.mark.parametrize("bits", [0o755, 0o600, 0o640, 0o444 | 0o200])
def test_c56_the_mode_is_kept(work, bits):
    path = work / "f"
    path.write_bytes(b"old")
    path.chmod(bits)
    write_whole(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", bits)


def test_c56_a_new_file_obeys_the_umask_and_folders_are_made(work):
    before = os.umask(0o027)
    try:
        write_whole(work / "a" / "b" / "f", b"x")
    finally:
        os.umask(before)
    assert mode(work / "a" / "b" / "f") == 0o640


def test_c56_a_link_stays_and_its_target_is_written(work):
    (work / "real").write_text("old")
    (work / "link").symlink_to("real")
    write_whole(work / "link", b"new")
    assert (work / "link").is_symlink()
    assert (work / "real").read_text() == "new"


def test_c56_a_dangling_link_creates_its_target(work):
    (work / "link").symlink_to("real")
    write_whole(work / "link", b"new")
    assert (work / "link").is_symlink()
    assert (work / "real").read_text() == "new"


def test_c56_hard_links_keep_sharing_the_content(work):
    (work / "a").write_text("a long old content")
    os.link(work / "a", work / "b")
    write_whole(work / "a", b"new")
    assert (work / "b").read_bytes() == b"new"
    assert (work / "a").stat().st_ino == (work / "b").stat().st_ino


def test_c56_a_read_only_file_is_refused_and_untouched(work):
    path = work / "f"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(ToolFailure, match="read-only"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert [entry.name for entry in work.iterdir()] == ["f"]


def test_c56_a_failing_write_leaves_the_old_content_and_no_temporary_file(work):
    path = work / "f"
    path.write_bytes(b"old")
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from agent_cli.core.tools import ToolFailure\n"
        "from agent_cli.workspace.files import write_whole\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_whole(Path('f'), b'x' * 100_000)\n"
        "except ToolFailure as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cannot be written" in done.stdout
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in work.iterdir()] == ["f"]


def test_c56_killed_in_the_middle_leaves_old_or_new_never_half(work):
    path = work / "f"
    old, new = b"o" * 3_000_000, b"n" * 3_000_000
    code = (
        "from pathlib import Path\n"
        "from agent_cli.workspace.files import write_whole\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    write_whole(Path('f'), b'n' * 3_000_000)\n    write_whole(Path('f'), b'o' * 3_000_000)\n"
    )
    for delay in (0.0, 0.004, 0.013, 0.029):
        path.write_bytes(old)
        writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(delay)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        assert path.read_bytes() in (old, new)


def test_a_parent_that_is_a_file_is_a_clear_failure(work):
    (work / "f").write_text("x")
    with pytest.raises(ToolFailure, match="cannot be written"):
        write_whole(work / "f" / "g", b"x")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", False),
        (b"text\n", False),
        ("größer 中文".encode(), False),
        ("hello".encode("utf-16"), False),
        (b"\xd6\xd0\xce\xc4\n", False),
        (b"a\x1b[31mb\n", False),
        (b"\x7fELF\x02\x01\x01\0\0\0", True),
        (bytes(range(1, 9)) * 20, True),
    ],
)
def test_binary_is_told_from_text_in_any_encoding(data, expected):
    assert is_binary(data) is expected
