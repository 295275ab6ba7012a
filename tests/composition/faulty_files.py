"""Faults of mechanics and themes: a text of a file that is replaced, and what the error says."""

import pytest

LESSONS, WALKING = "mechanics/lessons/", "mechanics/walking/"
PDDL_FILE, RULES, WORDS = (LESSONS + name for name in ("mechanic.pddl", "mechanic.yaml", "words.yaml"))
BAKERY = "themes/bakery.yaml"
KNOW = "  (learned):\n    true:\n      - you know what the {{ instructions }} says"
NO_REST = "    :effect (learned))\n  (:action rest :precondition (learned) :effect (learned)))"


def fault(file, old, new, problem, mend="", *further, where=""):
    """A case: a text of a file that is replaced, and what the error says.

    More changes may follow; ``where`` is the file that the error names, if it is not the changed one.
    """
    return pytest.param(((file, old, new), *further), where or file, problem, mend, id=problem)


STUDY = "study eff (learned)"
ATTACHED = "precondition: [(learned)]"
REQUIRED = "required: true          # without it the mechanic has no purpose"
FAULTS = [
    # the fragment
    fault(PDDL_FILE, "(:action study", "(:action study (", "", ""),
    fault(PDDL_FILE, "(domain lessons)", "(domain lesson)", "its folder 'lessons'", "same name"),
    fault(PDDL_FILE, ":parameters (?p", ":parameters (?q ?p", "does not use ?q", "remove"),
    fault(PDDL_FILE, "(instructions ?p))\n", "(instruction ?p))\n", "instruction", "instructions"),
    fault(
        PDDL_FILE,
        "(instructions ?p))\n",
        "(instructions ?p) (not (learned)))\n",
        "negative condition",
        "second predicate",
        (PDDL_FILE, ":typing", ":typing :negative-preconditions"),
    ),
    # the rules
    fault(RULES, "goals:", "gaols:", "does not know 'gaols'", "goals"),
    fault(RULES, "  place: a spot where the agent can be\n", "", "roles lacks the type 'place'", "add"),
    fault(
        RULES, "  instructions: what", "  instruction: what", "roles names 'instruction'", "'instructions'"
    ),
    fault(
        RULES,
        "verbs: {study: to read the instructions}",
        "verbs: {}",
        "verbs lacks the action 'study'",
        "add",
    ),
    fault(RULES, "kind: learn", "kind: lern", "lern", ""),
    fault(RULES, 'roles: {place: "?p"}', 'roles: {place: "?q"}', "actions.study.roles names '?q'", "?p"),
    fault(RULES, "objects: {place", "objects: {plaice", "instance.objects names 'plaice'", "'place'"),
    fault(RULES, "[2, 5]", "[5, 2]", "[5, 2]", "least"),
    fault(
        RULES, "(instructions $place)", "(instructions $plaice)", "instance.facts.0 names 'plaice'", "'place'"
    ),
    fault(RULES, "(instructions $place)", "(instructions)", "(instructions) is no fact", "arity"),
    fault(RULES, '{once: "', '{onec: "', "does not know 'onec'", "once"),
    fault(RULES, '{once: "', '{each: "(instructions ?p)", once: "', "instance.facts.0 has 2 rules", "once"),
    fault(RULES, '{once: "(instructions $place)"}', "{share: 0.5}", "instance.facts.0 has 0 rules", "once"),
    fault(
        RULES,
        '{once: "(instructions $place)"}',
        '{complement: "(instructions ?p)"}',
        "'of' go together",
        "both",
    ),
    fault(RULES, '{once: "', '{share: 2, once: "', "share", "0 to 1"),
    fault(RULES, "goals: [(learned)]", "goals: [(learnt)]", "(learnt) is no fact", "predicate"),
    fault(
        RULES,
        "goals: [(learned)]",
        "goals: [(learned)]\nat_most_one: ['(learned) (learnt)']",
        "at_most_one.0: (learnt)",
        "predicate",
    ),
    fault(RULES, "imports: [at]", "imports: [att]", "imports names 'att'", "'at'"),
    fault(RULES, ATTACHED, 'precondition: ["(instructions ?r)"]', "?r is not both bound and used", "binds"),
    fault(RULES, REQUIRED, 'adds: ["?t - place"]', "?t is not both bound and used", "adds"),
    fault(
        RULES,
        ATTACHED,
        'adds: ["?t - plaice"]\n    precondition: ["(instructions ?t)"]',
        "adds names 'plaice'",
        "'place'",
    ),
    fault(
        RULES,
        ATTACHED,
        "precondition: [(learnt)]",
        "attachments.lesson-first: (learnt) is no fact",
        "predicate",
    ),
    # the words
    fault(WORDS, "  (learned):\n    true:", "  (learnt):\n    true:", "facts names 'learnt'", "'learned'"),
    fault(
        WORDS,
        "  (instructions ?p):\n    true:",
        "  (instructions ?p ?q):\n    true:",
        "(instructions ?p ?q) is no fact",
        "arity",
    ),
    fault(
        WORDS, "  study:\n    infinitive", "  studdy:\n    infinitive", "actions names 'studdy'", "'study'"
    ),
    fault(WORDS, f', "{STUDY}"]', "]", f"general does not tell '{STUDY}'", "common"),
    fault(WORDS, "  study:\n    infinitive", "  read:\n    infinitive", "actions names 'read'", "study"),
    fault(WORDS, "    gerund: reading the {{ instructions }}\n", "", "lacks 'gerund'", "add it"),
    fault(
        PDDL_FILE,
        "(learned))\n\n",
        "(learned) (bored))\n\n",
        "facts lacks the predicate 'bored'",
        "add it",
        (RULES, "names:\n", "names:\n  bored: [a, b, c, d]\n"),
        where=WORDS,
    ),
    fault(
        PDDL_FILE,
        "    :effect (learned)))",
        NO_REST,
        "actions lacks the action 'rest'",
        "add it",
        (RULES, "verbs: {", "verbs: {rest: to rest, "),
        (RULES, "actions:\n", "actions:\n  rest: {kind: work}\n"),
        where=WORDS,
    ),
    fault(
        RULES,
        "attachments:\n",
        "attachments:\n  twice: {to: work, precondition: [(learned)]}\n",
        "attachments lacks the attachment 'twice'",
        "add it",
        where=WORDS,
    ),
    fault(
        WORDS,
        f'  - tells: ["{STUDY}"]',
        '  - tells: ["study eff (learnt)"]',
        "implied.0 names 'study eff (learnt)'",
        STUDY,
    ),
    fault(
        WORDS,
        "  study pre (at ?p): one",
        "  study pre (at ?q): one",
        "common names 'study pre (at ?q)'",
        "study pre (at ?p)",
    ),
    fault(
        WORDS,
        KNOW,
        KNOW.replace("instructions", "instruction"),
        "facts.(learned).true names 'instruction'",
        "'instructions'",
    ),
    fault(
        WORDS,
        "infinitive: read the {{ instructions }}",
        "infinitive: read the {{ recipe }}",
        "actions.study.infinitive names 'recipe'",
        "",
    ),
    fault(
        WORDS,
        "      - the {{ instructions }} hangs in {{ p }}",
        "      - the {{ instructions }} hangs here",
        "does not name ?p",
        "every argument",
    ),
    fault(
        WORDS,
        "      - in {{ p }}, {{ study }} the",
        "      - here, {{ study }} the",
        "does not name ?p",
        "every argument",
    ),
    fault(WORDS, "      - get up to speed\n", "", "actions.study.summary has 5 wordings", "at least 6"),
    fault(
        WORDS,
        "      - get up to speed\n",
        "      - learn the ropes\n",
        "'learn the ropes' is listed twice",
        "once",
    ),
    fault(WORDS, "{{ doing | capital }}", "{{ doing | captial }}", "no filter 'captial'", "'capital'"),
    fault(
        WORDS,
        '"{{ study }} the {{ instructions }} in',
        '"{{ study the {{ instructions }} in',
        "actions.study.do",
        "Jinja",
    ),
    fault(
        WORDS,
        "  lesson-first:\n    implied",
        "  lesson-fist:\n    implied",
        "attachments names 'lesson-fist'",
        "'lesson-first'",
    ),
    fault(
        WORDS,
        '- tells: {stated: ["pre (learned)"]}',
        "- tells: {}",
        "attachments.lesson-first.general does not tell 'pre (learned)'",
        "add it",
    ),
    fault(WALKING + "words.yaml", "  go: {a: ", "  go: {c: ", "labels.go names 'c'", ""),
    fault(
        WALKING + "words.yaml",
        'a: "the old {{ place }}"',
        'a: "the old {{ plaice }}"',
        "labels.go.a names 'plaice'",
        "'place'",
    ),
    # themes
    fault(BAKERY, "    study: read\n", "", "has no name for the role 'study'", "add"),
    fault(
        BAKERY,
        "    study: read\n",
        "    study: read\n    studdy: read up\n",
        "names 'studdy', which is no role",
        "'study'",
    ),
    fault(BAKERY, "    base: flour\n", "    base: yeast\n", "names 2 roles 'yeast'", "of its own"),
    fault(BAKERY, "    base: flour\n", "    base: room\n", "names 2 roles 'room'", "of its own"),
    fault(BAKERY, "  lessons:\n", "  lesons:\n", "is no mechanic", "'lessons'"),
    fault(BAKERY, "agent:", "agnet:", "does not know 'agnet'", "agent"),
    fault(BAKERY, "  thing: item\n", "", "lacks 'thing'", "noun"),
    fault(BAKERY, "title: A small bakery\n", "", "lacks 'title'", "add"),
    # two mechanics
    fault(
        "mechanics/walking/mechanic.pddl",
        "(:predicates ",
        "(:predicates (learned ?p - place) ",
        "declares the predicate 'learned' differently",
        "alike",
        ("mechanics/walking/mechanic.yaml", "about:", "imports: [learned]\nabout:"),
    ),
]
