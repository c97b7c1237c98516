"""A growing conversation is looked at once: what is reused is what a fresh look would give."""

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.repair import Repairer, repair
from agent_cli.context.validate import Checker, problems
from agent_cli.core.messages import Message
from tests.props.test_context import chunks


@given(chunks=st.lists(chunks, min_size=1, max_size=3), cuts=st.lists(st.integers(0, 40), max_size=2))
def test_repairing_and_checking_step_by_step_gives_what_a_fresh_look_gives(chunks, cuts):
    repairer, checker = Repairer(), Checker()
    messages: tuple[Message, ...] = ()
    number = 0
    for chunk in chunks:
        for group in chunk:
            for role, parts in group:
                number += 1
                messages = (*messages, Message(f"m{number}", "", role, parts))
                mended = repairer.repair(messages)
                assert mended == repair(messages)
                assert checker.problems(mended) == ()
                assert checker.problems(messages) == problems(messages)
        for cut in cuts:
            messages = messages[cut:]
            assert repairer.repair(messages) == repair(messages)
