"""Inspect finds a task for every domain, whose logs have the episode of the world.

Inspect takes seconds to import: it is imported where it runs, not wherever tests are collected.
"""

import pytest

from orrery.demo_model import serving
from orrery.pddl.write import parse_atom
from tests.compatibility.world_episode import DOMAIN, RULES, SEED, SPLIT, Repeating, checked, played, replies
from tests.compatibility.world_episode import reward as total
from tests.every_domain import CATALOG
from tests.library.samples import world_dataset, world_row

DOMAINS = [name for name in CATALOG.names if CATALOG.entry(name).tasks]
CHOSEN = {"samples": 1, "seed": SEED, "split": SPLIT, **RULES}


def evaluated(model, folder, model_base_url=None, **options):
    from inspect_ai import eval as inspect_eval

    (log,) = inspect_eval(
        f"orrery/world_{DOMAIN}", model, task_args=CHOSEN | options, display="none", log_dir=str(folder),
        ctl_server=False, model_base_url=model_base_url,
    )  # fmt: skip
    assert log.status == "success", log.error
    return log


def written(sample):
    """The transcript in a log."""
    return {name: value for name, value in sample.store["episode"].items() if name in played()}


def calling(calls):
    """A model that calls tools: names with arguments; a text stands for itself."""
    from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi

    left = list(calls)

    class Caller(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):
            call = left.pop(0)
            return (
                ModelOutput.from_content("caller", call)
                if isinstance(call, str)
                else ModelOutput.for_tool_call("caller", *call)
            )

    modelapi(name="caller")(Caller)
    return get_model("caller/any", memoize=False)


def as_call(reply):
    """The call of a tool that a reply in PDDL stands for."""
    if not reply.startswith("("):
        return reply, {}
    name, *objects = parse_atom(reply)
    parameters = CATALOG.entry(DOMAIN).domain.action_named[name].parameters
    return name, {p.name[1:]: value for p, value in zip(parameters, objects, strict=False)}


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_domain_has_a_task(domain):
    from inspect_ai._eval.registry import task_create

    task = task_create(f"orrery/world_{domain}", samples=2)
    assert [sample.id.split("/")[-1] for sample in task.dataset] == ["0", "1"]
    with pytest.raises(Exception, match="difficulty 'x'") as refused:
        task_create(f"orrery/world_{domain}", difficulty="x")
    assert type(refused.value).__name__ == "PrerequisiteError", "Inspect prints it without a trace"


def test_rows_of_a_dataset_are_worlds(tmp_path):
    from inspect_ai._eval.registry import task_create

    rows = [world_row(domain, seed) for domain in ("ferry", "visitall") for seed in (3, 4)]
    world_dataset(tmp_path, rows)
    task = task_create("orrery/world", dataset=str(tmp_path))
    shown = {sample.id: sample.input for sample in task.dataset}
    assert all(shown[row["id"]].startswith(row["first_observation"]) for row in rows)
    ferry = task_create("orrery/world", dataset=str(tmp_path), domain="ferry", limit=1)
    assert [sample.metadata["domain"] for sample in ferry.dataset] == ["ferry"]
    for chosen in ({"split": "train"}, {"domain": "grid"}, {"reward": "dense"}):
        with pytest.raises(Exception, match="ERROR"):
            task_create("orrery/world", dataset=str(tmp_path), **chosen)


@pytest.mark.slow
def test_replies_in_words_play_the_episode(tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")
    with serving(Repeating()) as server:
        log = evaluated("openai-api/demo/demo", tmp_path, model_base_url=server.url)
    (sample,) = log.samples
    checked(written(sample))
    assert sample.scores["episode"].value == {"goal": 1.0, "reward": total(), "efficiency": 1.0}
    assert [m.text for m in sample.messages if m.role == "user"][1:] == [
        turn["observation"] for turn in played()["turns"]
    ]


@pytest.mark.slow
def test_calls_of_tools_play_the_episode(tmp_path):
    log = evaluated(calling(map(as_call, replies())), tmp_path, tools=True)
    (sample,) = log.samples
    checked(written(sample))
    assert sample.scores["episode"].value == {"goal": 1.0, "reward": total(), "efficiency": 1.0}
    answers = [message for message in sample.messages if message.role == "tool"]
    assert [answer.text for answer in answers] == [turn["observation"] for turn in played()["turns"]]


@pytest.mark.slow
def test_wrong_calls_and_texts_are_answered_and_end_the_episode(tmp_path):
    calls = [("board", {"x": 1}), ("fly", {}), "dance", ("board", {"c": ["c1"]}), ("look", {"object": "zz"})]
    log = evaluated(calling([*calls, "", "never asked"]), tmp_path, tools=True)
    (sample,) = log.samples
    episode = sample.store["episode"]
    assert (episode["reason"], len(episode["turns"])) == ("invalid actions", 6)
    assert sample.scores["episode"].value == {"goal": 0.0, "reward": 0.0, "efficiency": 0.0}
    assert sample.scores["episode"].explanation == "invalid actions"
