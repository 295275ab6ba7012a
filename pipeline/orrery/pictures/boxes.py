"""Boxes: each object with all that is said of it, for domains that no description says how to draw."""

from __future__ import annotations

from dataclasses import replace

from orrery.pictures.places import Nest
from orrery.pictures.svg import NOTHING, Shape
from orrery.pictures.view import View

MOST = 120  # objects; more are told in lists alone


def scene(view: View) -> Shape:
    """Return a box for each object that facts of predicates with arguments begin with, and these in it."""
    predicates = sorted({fact[0] for fact in view.facts if len(fact) > 1 and fact not in view.ground})
    changing = [name for name in predicates if name in view.picture.get("changing", predicates)]
    owners = {fact[1] for fact in view.facts if fact[0] in changing}
    if len(owners) > MOST:
        return NOTHING
    arity = {fact[0]: len(fact) for fact in sorted(view.facts)}
    marks = {name: " ".join([name, *(f"{{{n}}}" for n in range(2, arity[name]))]) for name in changing}
    return Nest(replace(view, picture={"marks": marks})).scene()
