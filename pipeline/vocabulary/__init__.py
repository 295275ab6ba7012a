"""Obfuscated vocabularies: a domain and its problems in words that mean nothing, or something else.

After the mystery domains of Valmeekam et al. (PlanBench, 2023): to solve such a problem is to reason, not
to remember. This works for any domain: the words are drawn from ``templates/vocabularies``, all symbols
of as many arguments share a few sentences, and the rules are told from the PDDL.
"""

from __future__ import annotations

from pipeline.vocabulary.view import NAMES, View, Vocabulary, vocabulary_of

__all__ = ["NAMES", "View", "Vocabulary", "vocabulary_of"]
