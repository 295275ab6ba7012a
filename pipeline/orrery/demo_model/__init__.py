"""A scripted model on localhost with the OpenAI protocol, to try with it what asks models.

It is no language model: it looks the right reply up, and gives it as often as it is told to. So what an
evaluation should find is known beforehand.
"""

from orrery.demo_model.faults import Fault, Faults
from orrery.demo_model.replies import ScriptedReplies
from orrery.demo_model.server import DemoServer, serving

__all__ = ["DemoServer", "Fault", "Faults", "ScriptedReplies", "serving"]
