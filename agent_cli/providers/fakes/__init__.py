"""A scripted server on 127.0.0.1 that speaks both wires and refuses what the real services refuse.

with FakeServer([Reply("hello")]) as server:
    ...  # point a client at server.openai_url or server.anthropic_url
"""

from agent_cli.providers.fakes.replies import Answer, Call, Cut, Fault, Raw, Reply
from agent_cli.providers.fakes.seen import Seen, SeenMessage
from agent_cli.providers.fakes.server import FakeServer, Recorded

__all__ = ["Answer", "Call", "Cut", "FakeServer", "Fault", "Raw", "Recorded", "Reply", "Seen", "SeenMessage"]
