"""An episode of NeMo Gym's simple agent with the resources server that `orrery serve nemo-gym` writes.

The model is a stand-in that calls the tools of a shortest plan, after one call that is impossible and one
with a missing argument. All servers are at real ports. NeMo Gym's check of named sessions follows. Needs the
packages of ``nemo_gym.txt`` beside this file and ``orrery``; ``tests/serve/test_real_packages.py`` runs it.
Prints what was found as one line of JSON.
"""

import asyncio
import importlib.util
import json
import os
import sys
import threading
import time
from pathlib import Path

import requests
import uvicorn
from fastapi import FastAPI
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseVerifyResponse,
    ResourcesSeedSessionRequest,
)
from nemo_gym.config_types import AggregateMetricsRequest, BaseServerConfig, ResourcesServerTypeConfig
from nemo_gym.global_config import NEMO_GYM_CONFIG_DICT_ENV_VAR_NAME
from nemo_gym.openai_utils import NeMoGymResponse
from nemo_gym.server_utils import ServerClient
from nemo_gym.testing.session_conformance import check_resources_session_contract
from omegaconf import OmegaConf
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig

import orrery
from orrery.pddl.write import parse_atom

HOME = Path(sys.argv[1]) / "resources_servers" / "orrery_worlds"
SERVER, AGENT, MODEL = "orrery_worlds_resources_server", "orrery_worlds_simple_agent", "policy_model"


def served(app):
    """The port of an application that runs until the process ends."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server.servers[0].sockets[0].getsockname()[1]


def calls_of(row):
    """The calls of a plan for the world of a row, as names with arguments."""
    world = orrery.world(
        row["domain"], seed=row["seed"], difficulty=row.get("difficulty"), reward=row["reward"]
    )
    schemas = world.problem.domain.action_named
    listed = []
    while not world.done:
        turn = world.step(world.optimal_actions()[0])
        name, *objects = parse_atom(turn.info["action"])
        names = [parameter.name.removeprefix("?") for parameter in schemas[name].parameters]
        listed.append((name, dict(zip(names, objects, strict=True))))
    return listed, world


def model_of(row):
    """A server of responses that calls the tools in turn, and says that it is done."""
    app, (plan, _) = FastAPI(), calls_of(row)
    calls = [(plan[-1][0], plan[-1][1]), (plan[0][0], {}), *plan]

    @app.post("/v1/responses")
    def responses(body: dict) -> dict:
        done = sum(item.get("type") == "function_call_output" for item in body["input"])
        if done < len(calls):
            name, arguments = calls[done]
            output = {
                "type": "function_call", "name": name, "arguments": json.dumps(arguments),
                "call_id": f"call{done}", "id": f"item{done}", "status": "completed",
            }  # fmt: skip
        else:
            content = [{"type": "output_text", "text": "Done.", "annotations": []}]
            output = {
                "type": "message",
                "id": "m",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        response = {
            "id": f"response{done}", "created_at": 0, "model": "stand-in", "object": "response",
            "output": [output], "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
        }  # fmt: skip
        return NeMoGymResponse.model_validate(response).model_dump()

    return app


def main():
    configuration = OmegaConf.load(HOME / "configs" / "orrery_worlds.yaml")
    ResourcesServerTypeConfig.model_validate(OmegaConf.to_container(configuration[SERVER]))
    row = json.loads((HOME / "data" / "example.jsonl").read_text().splitlines()[0])

    spec = importlib.util.spec_from_file_location("app", HOME / "app.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    about = {"host": "127.0.0.1", "port": 0, "entrypoint": "app.py"}
    head = BaseServerConfig(host="127.0.0.1", port=1)
    client = ServerClient(head_server_config=head, global_config_dict=OmegaConf.create({}))
    worlds = program.OrreryWorlds(
        config=BaseResourcesServerConfig(**about, name=SERVER), server_client=client
    )
    references = {
        "resources_server": {"type": "resources_servers", "name": SERVER},
        "model_server": {"type": "responses_api_models", "name": MODEL},
    }
    agent = SimpleAgent(config=SimpleAgentConfig(**about, name=AGENT, **references), server_client=client)
    applications = {SERVER: worlds.setup_webserver(), MODEL: model_of(row), AGENT: agent.setup_webserver()}
    worlds.setup_liveness(applications[SERVER])
    ports = {name: served(application) for name, application in applications.items()}
    client.global_config_dict = OmegaConf.create(
        {name: {"kind": {"server": {**about, "port": port}}} for name, port in ports.items()}
    )
    os.environ[NEMO_GYM_CONFIG_DICT_ENV_VAR_NAME] = OmegaConf.to_yaml(client.global_config_dict)

    answer = requests.post(f"http://127.0.0.1:{ports[AGENT]}/run", json=row, timeout=60)
    assert answer.status_code == 200, answer.text
    result = BaseVerifyResponse.model_validate(answer.json())
    outputs = [item.output for item in result.response.output if item.type == "function_call_output"]
    _, direct = calls_of(row)
    expected = [turn["observation"] for turn in direct.transcript()["turns"]]
    assert outputs[2:] == expected, outputs
    assert "cannot" in outputs[0]
    assert "takes" in outputs[1]
    assert (result.reward, result.mask_sample, answer.json()["reason"]) == (1.0, False, "goal")
    metrics = AggregateMetricsRequest.model_validate(
        {"verify_responses": [{**answer.json(), "_ng_task_index": 0}]}
    )
    assert asyncio.run(worlds.aggregate_metrics(metrics)).agent_metrics["mean/reward"] == 1.0
    assert requests.get(f"http://127.0.0.1:{ports[SERVER]}/", timeout=5).json() == {"status": "ok"}
    task = {name: value for name, value in row.items() if name != "responses_create_params"}
    seed = {
        "resources_session_id": "mine",
        "episode_id": {"rollout_id": "r"},
        "task_id": {"taskset": "t", "task_id": "0"},
        "task_data": task,
    }
    check_resources_session_contract(
        worlds.setup_webserver(), ResourcesSeedSessionRequest.model_validate(seed), keeps_state=True
    )
    print(json.dumps({"calls": len(outputs), "reward": result.reward, "reason": answer.json()["reason"]}))


if __name__ == "__main__":
    main()
