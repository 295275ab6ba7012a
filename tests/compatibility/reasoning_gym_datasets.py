"""Our procedural datasets in the real reasoning-gym: factory, reseeding, composites, versions.

Needs the packages of ``reasoning_gym.txt`` beside this file and ``orrery``;
``tests/training/test_real_packages.py`` runs it. Prints what was found as one line of JSON, and fails where
it is not as it must be.
"""

from __future__ import annotations

import json
import sys
from itertools import islice

import reasoning_gym
from reasoning_gym.composite import CompositeConfig, CompositeDataset, DatasetSpec
from reasoning_gym.dataset import ProceduralDataset, ReseedingDataset
from reasoning_gym.utils import extract_answer
from reasoning_gym.version_manager import DatasetVersionManager

import orrery

BOOL, TEXT = "orrery_acp_val_bool", "orrery_text_to_pddl"


def main() -> int:
    """Run all."""
    names = orrery.register_reasoning_gym()
    assert names == orrery.register_reasoning_gym()
    assert {BOOL, TEXT} <= set(names)

    tasks = reasoning_gym.create_dataset(BOOL, domain="ferry", seed=3, size=4)
    assert isinstance(tasks, ProceduralDataset)
    entries = list(tasks)
    assert (
        [tasks.score_answer(entry["answer"], entry) for entry in entries] == [1.0] * len(tasks) == [1.0] * 4
    )
    assert entries == [tasks[number] for number in range(4)]
    gold = entries[0]["answer"].removeprefix("ANSWER: ")
    tagged = extract_answer(f"Well. <answer>{gold}</answer>")
    assert tasks.score_answer(tagged, entries[0]) == 1.0
    assert tasks.score_answer(extract_answer("Hm."), entries[0]) == 0.0
    assert reasoning_gym.get_score_answer_fn(BOOL)(gold, entries[0]) == 1.0

    endless = ReseedingDataset(tasks, chunk_size=4)
    first = [entry["metadata"]["row"]["id"] for entry in islice(endless, 10)]
    assert len(set(first)) == 10
    assert first == [entry["metadata"]["row"]["id"] for entry in islice(endless, 10)]

    specs = [
        DatasetSpec(BOOL, 1, {"domain": "ferry"}),
        DatasetSpec(TEXT, 1, {"domain": "blocksworld", "size": 3}),
        DatasetSpec("leg_counting", 1, {}),
    ]
    mixed = reasoning_gym.create_dataset("composite", size=12, seed=1, datasets=specs)
    sources = {}
    for entry in mixed:
        source = entry["metadata"]["source_dataset"]
        sources[source] = sources.get(source, 0) + 1
        assert mixed.score_answer(entry["answer"], entry) == 1.0
    assert {BOOL, TEXT} <= set(sources)
    mixed.update_dataset_config(BOOL, {"domain": "grid"})
    assert mixed.datasets[BOOL][0]["metadata"]["row"]["domain"] == "grid"

    versioned = CompositeDataset(CompositeConfig(size=4, seed=1, datasets=specs[:1]), DatasetVersionManager())
    entry = versioned[2]
    assert versioned.score_answer_with_id(entry["answer"], entry["metadata"]["entry_id"]) == 1.0
    print(json.dumps({"datasets": len(names), "sources": sources}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
