"""Domains in PDDL for the tests of new-domain."""

LAMPS = """\
(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp room - object)
  (:predicates (hangs-in ?l - lamp ?in - room) (lit ?l - lamp) (dark))
  (:action switch-on
    :parameters (?l - lamp ?not - room)
    :precondition (and (hangs-in ?l ?not) (not (lit ?l)))
    :effect (and (lit ?l) (not (dark)))))
"""

# Quantified: sound, but beyond what we read.
QUANTIFIED = LAMPS.replace("(not (lit ?l)))", "(forall (?k - lamp) (not (lit ?k))))").replace(
    ":negative-preconditions", ":negative-preconditions :universal-preconditions"
)

MALFORMED = LAMPS.replace("(not (dark))", "(not (dork))")
UNBALANCED = LAMPS[:-40]

GENERATOR = '''\
"""Lamps in rooms."""

from orrery.model import Generated, Problem, ConfigurationPair, TypedName, literals

TASKS = (ConfigurationPair("unlit", "some", tied=True, strict=True),)


def draw(task, limits, rng):
    return {"lamps": rng.randint(*limits["lamps"]), "rooms": rng.randint(1, 3), "wanted": rng.randint(1, 2)}


def build(task, parameters, rng):
    lamps = [f"l{n}" for n in range(parameters["lamps"])]
    rooms = [f"r{n}" for n in range(parameters["rooms"])]
    objects = [TypedName(name, ("lamp",)) for name in lamps] + [TypedName(name, ("room",)) for name in rooms]
    init = {("hangs-in", lamp, rng.choice(rooms)) for lamp in lamps} | {("dark",)}
    goal = literals(("lit", lamp) for lamp in rng.sample(lamps, min(parameters["wanted"], len(lamps))))
    problem = Problem(task.name, "lamps", tuple(objects), frozenset(init), goal)
    return Generated(problem, task, parameters, {})
'''

WORDS = """\
{% macro intro(variant) %}
{{ ["Lamps hang in rooms.", "Rooms have lamps.", "Here are lamps."] | choose(variant) }}
{% endmacro %}
{% macro objects(names, variant) %}
The lamps are {{ names.lamp | listing }}, the rooms {{ names.room | listing }}.
{% endmacro %}
{% macro fact_hangs_in(l, r, variant) %}
{{ [l ~ " hangs in " ~ r, "in " ~ r ~ " hangs " ~ l, r ~ " has " ~ l] | choose(variant) }}
{% endmacro %}
{% macro fact_lit(l, variant) %}
{{ [l ~ " is lit", l ~ " shines", "light comes from " ~ l] | choose(variant) }}
{% endmacro %}
{% macro fact_dark(variant) %}
{{ ["it is dark", "darkness reigns", "all is dark"] | choose(variant) }}
{% endmacro %}
{% macro action_switch_on(l, r, variant) %}
{{ ["switch on " ~ l ~ " in " ~ r, "light " ~ l ~ " in " ~ r, "in " ~ r ~ ", turn on " ~ l]
   | choose(variant) }}
{% endmacro %}
"""

DESCRIPTION = """\
title: Lamps
source: written for a test
split: {test: 1.0}
difficulties:
  easy: {lamps: [2, 5]}
"""

# A domain with abstract texts; one wording of the goal, not the first, does not tell how many nuts.
NUTS = {
    "domains/nuts/domain.pddl": """\
(define (domain nuts)
  (:requirements :strips :typing)
  (:types nut - object)
  (:predicates (loose ?n - nut) (tight ?n - nut))
  (:action tighten
    :parameters (?n - nut)
    :precondition (and (loose ?n))
    :effect (and (tight ?n) (not (loose ?n)))))
""",
    "domains/nuts/domain.yaml": """\
title: Nuts
source: written for a test
split: {train: 0.5, validation: 0.2, test: 0.3}
difficulties:
  easy: {nuts: [2, 3]}
  hard: {nuts: [5, 6]}
""",
    "generators/nuts.py": '''\
"""Nuts to be tightened."""

from orrery.model import ConfigurationPair, Generated, Problem, TypedName, literals

TASKS = (ConfigurationPair("all_loose", "some_tight"),)


def draw(task, limits, rng):
    nuts = rng.randint(*limits["nuts"])
    return {"nuts": nuts, "tight": rng.randint(nuts // 2, nuts - 1)}


def build(task, parameters, rng):
    names = [f"n{number}" for number in range(parameters["nuts"])]
    goal = literals(("tight", name) for name in rng.sample(names, parameters["tight"]))
    objects = tuple(TypedName(name, ("nut",)) for name in names)
    problem = Problem(task.name, "nuts", objects, frozenset(("loose", name) for name in names), goal)
    return Generated(problem, task, {"nuts": len(names)}, parameters)
''',
    "templates/domains/nuts.j2": """\
{% macro intro(variant) %}
{{ ["Nuts are loose or tight.", "A nut is tight once it was tightened."] | choose(variant) }}
{% endmacro %}
{% macro objects(names, variant) %}
The nuts are {{ names.nut | listing }}.
{% endmacro %}
{% macro fact_loose(n, variant) %}
{{ [n ~ " is loose", n ~ " rattles"] | choose(variant) }}
{% endmacro %}
{% macro fact_tight(n, variant) %}
{{ [n ~ " is tight", n ~ " sits firmly"] | choose(variant) }}
{% endmacro %}
{% macro action_tighten(n, variant) %}
{{ ["tighten " ~ n, "turn " ~ n ~ " home"] | choose(variant) }}
{% endmacro %}
{% macro init_all_loose(p, names, variant) %}
{{ ["All " ~ p.nuts ~ " nuts are loose.", "None of the " ~ p.nuts ~ " nuts is tight."] | choose(variant) }}
{% endmacro %}
{% macro goal_some_tight(p, names, variant) %}
{{ [
"Tighten exactly " ~ p.tight ~ " of the " ~ p.nuts ~ " nuts.",
"Let " ~ ("nut" | plural(p.tight)) ~ " be tight, whichever.",
"Tighten some of the " ~ p.nuts ~ " nuts.",
] | choose(variant) }}
{% endmacro %}
""",
}
