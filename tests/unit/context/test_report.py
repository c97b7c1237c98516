import json

from agent_cli.context.report import as_dict, as_text
from agent_cli.core.models import ToolSpec
from agent_cli.core.usage import Usage
from tests.unit.context.doubles import Bench, StaticFixed, words


def bench_with_all_kinds() -> Bench:
    tools = (ToolSpec("read_file", "Reads a file.", {"type": "object"}),)
    bench = Bench("## State\nSUMMARY", fixed=StaticFixed((words(500), "RULES"), tools))
    bench.user(words(200))
    bench.step(words(800))
    bench.say(words(100))
    return bench


def rows(info):
    return (info.system, info.user, info.assistant, info.tool_messages, info.tool_definitions)


def test_g2_the_rows_add_up_to_the_total():
    info = bench_with_all_kinds().engine.info()
    assert all(row > 0 for row in rows(info))
    assert sum(rows(info)) == info.total
    assert (info.maximum, info.usable) == (32_000, 24_000)
    assert info.threshold == 19_200
    assert (info.mode, info.override, info.default) == ("phase1", None, "phase1")
    assert info.window_source == "test"


def test_g2_the_rows_add_up_right_after_a_compaction_a_resume_and_a_report_of_usage():
    bench = bench_with_all_kinds()
    bench.compress()
    assert sum(rows(bench.engine.info())) == bench.engine.info().total
    assert bench.resumed().engine.info() == bench.engine.info()
    bench.user("next")
    estimated = bench.engine.estimate(bench.prepare())
    bench.ledger.usage("test/model", Usage(estimated * 2 + 1, 5), estimated=estimated)
    info = bench.engine.info()
    assert sum(rows(info)) == info.total == estimated * 2 + 1
    assert info.source == "reported"


def test_g2_a_runtime_override_is_shown_beside_the_default():
    bench = bench_with_all_kinds()
    bench.engine.switch("none")
    text = as_text(bench.engine.info())
    assert "none (default phase1)" in text
    assert f"{bench.engine.info().total:,}" in text
    assert json.loads(json.dumps(as_dict(bench.engine.info())))["override"] == "none"
