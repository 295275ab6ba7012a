"""The folder of a resources server for NeMo Gym: its program, its configuration, and rows of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

from orrery.serve.requested_worlds import WorldMaker
from orrery.store.files import write_text
from orrery.worlds.action_tools import world_tools

NAME = "orrery_worlds"
AGENT_STEPS = 100  # calls of the model in an episode
ASKED = "Reach the goal with the tools. Call one tool at a time. Stop when the goal is reached."
PROGRAM = '''\
"""The worlds of Orrery as a resources server of NeMo Gym."""

from fastapi import FastAPI
from nemo_gym.base_resources_server import BaseVerifyRequest, BaseVerifyResponse, SimpleResourcesServer

from orrery.installation import find_root
from orrery.serve.app import worlds_app
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import Sessions


class OrreryWorlds(SimpleResourcesServer):
    """Its sessions, tools and rewards are those of `orrery serve worlds`."""

    ray_enabled = False

    async def verify(self, body: BaseVerifyRequest) -> BaseVerifyResponse:
        raise NotImplementedError("the application of Orrery answers /verify")

    def setup_webserver(self) -> FastAPI:
        app = FastAPI()
        app.post("/aggregate_metrics")(self.aggregate_metrics)
        app.get("/reverify_mode")(self.get_reverify_mode)
        worlds = worlds_app(Sessions(), WorldMaker(find_root().absolute()), any_host=True, with_mcp=False)
        app.router.routes.extend(worlds.routes)
        app.exception_handlers.update(worlds.exception_handlers)
        return app


if __name__ == "__main__":
    OrreryWorlds.run_webserver()
'''
CONFIGURATION = Template("""\
${name}_resources_server:
  resources_servers:
    $name:
      entrypoint: app.py
      domain: agent
      verified: false
      description: Planning domains that one acts in, with exact costs to go
${name}_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      max_steps: $steps
      resources_server:
        type: resources_servers
        name: ${name}_resources_server
      model_server:
        type: responses_api_models
        name: policy_model
      datasets:
      - name: example
        type: example
        jsonl_fpath: resources_servers/$name/data/example.jsonl
${name}_environment_server:
  environment_servers:
    legacy_agent:
      entrypoint: app.py
      agent_server:
        type: responses_api_agents
        name: ${name}_simple_agent
""")


def write_nemo_gym_folder(folder: Path, maker: WorldMaker, wanted: dict[str, Any], rows: int) -> list[Path]:
    """Write ``resources_servers/orrery_worlds`` into a folder; return the paths of its files.

    Args:
        folder: the checkout of NeMo Gym, or any folder.
        maker: makes the worlds of the rows.
        wanted: the request for a world without its seed. The rows have the seeds from 0.
        rows: the number of rows.

    Raises:
        UsageError: the request is not possible.
    """
    home = folder / "resources_servers" / NAME
    texts = {
        "app.py": PROGRAM,
        "requirements.txt": "orrery-planning[serve]\nnemo-gym\n",
        f"configs/{NAME}.yaml": CONFIGURATION.substitute(name=NAME, steps=AGENT_STEPS),
        "data/example.jsonl": "".join(f"{json.dumps(row)}\n" for row in task_rows(maker, wanted, rows)),
    }
    for name, text in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        write_text(home / name, text)
    return [home / name for name in texts]


def task_rows(maker: WorldMaker, wanted: dict[str, Any], rows: int) -> Iterator[dict[str, Any]]:
    """Yield tasks: the prompt and tools of an agent, and the request for the world."""
    for seed in range(rows):
        request = {**wanted, "seed": seed}
        world, _ = maker.world(request)
        problem = world.problem
        tools = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
                "strict": False,
            }
            for tool in world_tools(problem.domain, problem.words)
        ]
        prompt = [{"role": "user", "content": f"{world.first_observation}\n{ASKED}"}]
        yield {
            "responses_create_params": {"input": prompt, "tools": tools, "parallel_tool_calls": False},
            **request,
        }
