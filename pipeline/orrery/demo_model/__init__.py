"""A scripted model on localhost with the OpenAI protocol, for trying out evaluations.

It is not a language model. It looks up the right reply and gives it with a chosen probability. So the result
of an evaluation is known in advance.
"""

from orrery.demo_model.faults import Fault, Faults
from orrery.demo_model.replies import ScriptedReplies
from orrery.demo_model.server import DemoServer, serving

__all__ = ["DemoServer", "Fault", "Faults", "ScriptedReplies", "serving"]
