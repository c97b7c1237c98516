import pytest

from tests.unit.tools.running import Tools


@pytest.fixture
def tools(work):
    return Tools(work)
