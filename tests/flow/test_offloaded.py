"""What was too large for the view can be read on, wherever it was kept (C05)."""

import re

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import run


def reader(request):
    """Floods, then reads the file that the capped result names."""
    if not request.results:
        return Reply(calls=(read_on(),)) if reader.path else Reply(calls=(flood,))
    content = request.results[-1].content
    if not reader.path:
        reader.path = re.search(r"(/\S+\.txt)", content)[1]
        return Reply(calls=(read_on(),))
    return Reply(content)


def read_on():
    return Call("read_file", {"path": reader.path, "offset": 3000})


flood = Call("shell", {"command": "seq -f 'row %g' 1 5000"})


@pytest.mark.parametrize("keep", [("--allowed-tools", "shell"), ("--allowed-tools", "shell", "--no-session")])
def test_c05_the_rest_of_a_flood_is_readable_without_a_question(keep):
    reader.path = ""
    with FakeServer(reader) as server:
        done = run("-p", "go", *keep, server=server)
    assert done.code == 0, done.err
    assert "row 3000" in done.out


def test_a_fork_reads_what_its_parent_kept():
    reader.path = ""
    with FakeServer(reader) as server:
        run("-p", "go", "--allowed-tools", "shell", server=server)
        done = run("-c", "--fork-session", "-p", "again", server=server)
    assert "row 3000" in done.out
