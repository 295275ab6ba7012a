"""Map a function over work items: in this process, in a pool of processes, or on a Dask cluster.

Results come in the order of the items and do not depend on where they were made or by how many workers.
Every item carries what it needs (its seed path above all), so any of them can be done anywhere, again, with
the same result. Pool and cluster are borrowed; ours is the order, and which item failed.
"""

from orrery.engine.batches import WorkerError
from orrery.engine.choice import is_cluster, using
from orrery.engine.digests import digest, fingerprint, hashes_of_files
from orrery.engine.joined import Joined
from orrery.engine.mapping import WARM_UP_SECONDS, map_items
from orrery.engine.parts import Tables, map_parts, resumable_map
from orrery.engine.progress import Progress

__all__ = [
    "WARM_UP_SECONDS",
    "Joined",
    "Progress",
    "Tables",
    "WorkerError",
    "digest",
    "fingerprint",
    "hashes_of_files",
    "is_cluster",
    "map_items",
    "map_parts",
    "resumable_map",
    "using",
]
