"""What ``orrery`` offers, for type checkers; the package itself imports each part when it is asked for."""

from orrery.grading import Score as Score
from orrery.library.items import Item as Item
from orrery.library.judging import score as score
from orrery.library.loading import Items as Items
from orrery.library.loading import load as load
from orrery.library.streams import TaskStream as TaskStream
from orrery.library.streams import tasks as tasks
from orrery.library.user_pddl import check_plan as check_plan
from orrery.library.user_pddl import compare as compare
from orrery.library.worlds import world as world
from orrery.library.worlds import world_of_pddl as world_of_pddl
from orrery.library.worlds import world_of_row as world_of_row
from orrery.training.curriculum import Curriculum as Curriculum
from orrery.training.examples import examples as examples
from orrery.training.examples import training_set as training_set
from orrery.training.gymnasium_registration import register_gymnasium as register_gymnasium
from orrery.training.procedural import ProceduralConfig as ProceduralConfig
from orrery.training.procedural import ProceduralTasks as ProceduralTasks
from orrery.training.procedural import register_reasoning_gym as register_reasoning_gym
from orrery.training.rewards import Reward as Reward
from orrery.training.trl_worlds import world_environment as world_environment
from orrery.training.verifiers_environment import load_environment as load_environment
from orrery.training.world_curriculum import WorldCurriculum as WorldCurriculum

__version__: str
