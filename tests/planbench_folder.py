"""A folder in the layout of PlanBench with two small domains, written anew: nothing in it is published."""

import json
from itertools import pairwise

# Rooms in a row, one lamp each; `next` is never said.
CORRIDOR = """(define (domain corridor) (:predicates (at ?r) (next ?r ?s) (lit ?r) (dark))
(:action go :parameters (?r ?s) :precondition (and (at ?r) (next ?r ?s)) :effect (and (at ?s) (not (at ?r))))
(:action light :parameters (?r) :precondition (at ?r) :effect (and (lit ?r) (not (dark)))))"""
# Two ways to bring a parcel, told in the same words: what is a van and what a boat is never said.
VANS = """(define (domain vans) (:predicates (VAN ?v) (BOAT ?v) (parcel ?p) (place ?l) (port ?l) (at ?p ?l))
(:action drive-van :parameters (?v ?l ?m) :precondition (and (VAN ?v) (place ?l) (place ?m) (at ?v ?l))
 :effect (and (at ?v ?m) (not (at ?v ?l))))
(:action sail-boat :parameters (?v ?l ?m) :precondition (and (BOAT ?v) (port ?l) (port ?m) (at ?v ?l))
 :effect (and (at ?v ?m) (not (at ?v ?l)))))"""
CONFIGS = {
    "corridor": """
domain_name: corridor
domain_file: corridor/domain.pddl
instance_dir: corridor/basic
generalized_instance_dir: corridor/larger
instances_template: instance-{}.pddl
domain_intro_cost: |
  Go from a room to another room. It takes 1 minute to go.
  Light a room. It takes COST to light a room.
predicates: {at: "you are in the {}", next: "", lit: "the {} is lit", dark: "all is dark"}
actions:
  {go: "go from the {} to the {}",
   light: "light the {}"}
encoded_objects: {"a": "red room", "b": "blue room", "c": "green room", "d": "white room"}
""",
    "vans": """
domain_name: vans
domain_file: vans/domain.pddl
instance_dir: vans/basic
generalized_instance_dir: vans/larger
instances_template: instance-{}.pddl
predicates: {van: "", boat: "", parcel: "", place: "", port: "{} is a port", at: "{} is at {}"}
actions: {drive-van: "move {} from {} to {}", sail-boat: "move {} from {} to {}"}
encoded_objects: {"v": "vehicle_{}", "b": "vehicle_{}0", "l": "place_{}_{}"}
""",
}
NEXT = "(next a b) (next b a) (next b c) (next c b) (next c d) (next d c)"
ROOMS = {"a": "red room", "b": "blue room", "c": "green room", "d": "white room"}


def corridor_problem(goal="(lit c)", init="(at a) (dark)"):
    head = "(define (problem p) (:domain corridor) (:objects a b c d)"
    return f"{head} (:init {init} {NEXT}) (:goal (and {goal})))"


def vans_problem(goal="(at v0 l0-1)"):
    return (
        "(define (problem p) (:domain vans) (:objects v0 b1 l0-0 l0-1) (:init (VAN v0) (BOAT b1) "
        f"(place l0-0) (place l0-1) (port l0-0) (port l0-1) (at v0 l0-0) (at b1 l0-0)) (:goal {goal}))"
    )


def told(init="all is dark and you are in the red room", goal="the green room is lit", plan=None):
    """A statement, with a plan in words below it, or one to be filled in."""
    body = "".join(f"{line}\n" for line in plan or [])
    shown = f"[PLAN]\n{body}[PLAN END]\n" if plan is not None else "[PLAN]"
    asked = f"\n[STATEMENT]\nAs initial conditions I have that, {init}.\nMy goal is to have that {goal}."
    return f"{asked}\n\nMy plan is as follows:\n\n{shown}\n"


def go(path):
    """The steps along some rooms, in words."""
    return [f"go from the {ROOMS[one]} to the {ROOMS[two]}" for one, two in pairwise(path)]


def light(room):
    return f"light the {ROOMS[room]}"


LIT = [*go("abc"), light("c")]  # solves the plain problem
STORED = "(go red blue)\n(go blue green)\n(light green)\n"


def write_folder(folder, rows, *, cost="3 minutes", domain="corridor"):
    """Write configurations, instances, and the rows by the name of their file."""
    for name, text in {"corridor": CORRIDOR, "vans": VANS}.items():
        (folder / "configs").mkdir(parents=True, exist_ok=True)
        (folder / "configs" / f"{name}.yaml").write_text(CONFIGS[name].replace("COST", cost))
        (folder / "instances" / name / "basic").mkdir(parents=True, exist_ok=True)
        (folder / "instances" / name / "domain.pddl").write_text(text)
    instances = folder / "instances"
    (instances / "corridor" / "basic" / "instance-1.pddl").write_text(corridor_problem())
    (instances / "vans" / "basic" / "instance-1.pddl").write_text(vans_problem())
    prompts = folder / "prompts" / domain
    prompts.mkdir(parents=True, exist_ok=True)
    for name, some in rows.items():
        content = {"task": name, "prompt_type": "oneshot", "domain": domain, "instances": some}
        (prompts / f"{name}.json").write_text(json.dumps(content))
    return folder


def row(query, stored, instance=1, **more):
    return {
        "instance_id": instance,
        "query": f"I am in a house.\n{query}",
        "ground_truth_plan": stored,
        **more,
    }
