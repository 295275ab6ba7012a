"""What ``orrery`` offers, for type checkers; the package itself imports each part when it is asked for."""

from orrery.library.items import Item as Item
from orrery.library.judging import Score as Score
from orrery.library.judging import score as score
from orrery.library.loading import Items as Items
from orrery.library.loading import load as load
from orrery.library.streams import TaskStream as TaskStream
from orrery.library.streams import tasks as tasks

__version__: str
