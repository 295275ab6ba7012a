"""The Jinja environment, and the clauses and passages from each domain's macros.

The words of a domain are macros of ``templates/domains/<domain>.j2``: ``fact_<predicate>`` (a clause),
``action_<action>`` (an infinitive phrase), ``init_<configuration>`` and ``goal_<configuration>`` (whole
sentences), ``intro`` and ``objects``. The last argument of each is ``variant``, the number of the wording.
"""

from __future__ import annotations

import os
import random
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import FileSystemBytecodeCache, FileSystemLoader, TemplateNotFound
from jinja2.runtime import Macro

from orrery.language import sandbox
from orrery.language.choices import (
    EVERY,
    OPEN,
    ChosenSentences,
    Followed,
    Turn,
    Wordings,
    sentence_of,
)
from orrery.language.sandbox import Sandbox
from orrery.model import OBJECT, Atom, Domain, Literal, OrreryError, Parameters, Problem, Step

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# fmt: off
ORDINALS = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)
# fmt: on
IRREGULAR = {"knife": "knives", "shelf": "shelves", "loaf": "loaves", "leaf": "leaves", "half": "halves"}
NEGATION = "it is not the case that "
WORDINGS_TRIED = 16
TEXTS_TRIED = 20_000  # maximum number of paths of choices that are listed one by one
TURNS_TRIED = (0, 7_919, 104_729, 15_485_863)
KINDS_TRIED = 200  # number of lists of objects that are compared to find the stated kinds
PHRASES_KEPT = 200_000
NOUNS_KEPT = 2_000
MODULES_KEPT = 256
COMPILED = ".dvc/tmp"  # of a checkout: its contents are no outputs, and git ignores them


def _one_wording(noun: str) -> None:
    """Raise ValueError if a noun is a choice among wordings: its plural depends on the choice."""
    if OPEN in noun:
        raise ValueError("a choice among nouns cannot be inflected: choose a noun first")


@lru_cache(maxsize=NOUNS_KEPT)
def form(noun: str, n: int) -> str:
    """Return the noun without a number: singular for 1, plural for any other number.

    Of "lump of ore" the part before "of" changes.
    """
    if n == 1:
        return noun
    _one_wording(noun)
    head, of, rest = noun.partition(" of ")
    if of:
        return form(head, n) + of + rest
    last = noun.split()[-1] if noun.split() else noun
    if last in IRREGULAR:
        return noun.removesuffix(last) + IRREGULAR[last]
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return noun + "es"
    return noun[:-1] + "ies" if re.search(r"[^aeiou]y$", noun) else noun + "s"


def plural(noun: str, n: int) -> str:
    """Return the number in digits and the noun in the matching form: "1 ball", "2 balls", "no balls"."""
    return f"{n or 'no'} {form(noun, n)}"


def number(n: int) -> str:
    """Return the number as a word up to ten, in digits above."""
    return NUMBERS[n] if 0 <= n < len(NUMBERS) else str(n)


def ordinal(n: int) -> str:
    """Return the ordinal as a word up to ten, in digits above ("11th", "22nd")."""
    if 0 <= n < len(ORDINALS):
        return ORDINALS[n]
    ending = "th" if n // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def listing(items: Iterable[object], joint: str = "and") -> str:
    """Return the items with commas and a final "and": "a, b and c"; "none" if there are none."""
    *first, last = [str(item) for item in items] or ["none"]
    return f"{', '.join(first)} {joint} {last}" if first else last


def article(noun: str) -> str:
    """Return the noun after "a" or "an", by its sound ("an orange", "an hour", "an 8-block tower")."""
    _one_wording(noun)
    sounds_open = re.match(r"(?!uni[cfloqstv]|use|usu|one|eu)[aeiou]|hour|honest|8|1[18](?!\d)", noun.lower())
    return f"{'an' if sounds_open else 'a'} {noun}"


def tidy(text: str) -> str:
    """Return the text with each run of white space, including line ends, replaced by one space."""
    return " ".join(text.split())


def sentence(clause: str) -> str:
    """Return the clause with a capital and exactly one closing mark."""
    if OPEN in clause:
        return sentence_of(clause, sentence)
    body = clause.strip()
    body = body if body.endswith(("?", "!")) else body.rstrip(" .") + "."
    return capitalised(body)


class _Templates(FileSystemLoader):
    """Loads templates from a folder; an error names a template that is not UTF-8."""

    def get_source(self, environment: Any, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return a template's text, its file, and a function that tells whether the file is unchanged.

        Raises:
            OrreryError: the file is not UTF-8.
        """
        try:
            return super().get_source(environment, template)
        except UnicodeDecodeError as error:
            place = str(Path(self.searchpath[0]) / template)
            raise OrreryError(
                place, f"is not valid UTF-8 at byte {error.start}", "save it as UTF-8"
            ) from error


@cache
def environment(templates: Path, all_wordings: bool = False) -> Sandbox:
    """Return the Jinja environment of all texts, with templates from the folder ``templates``.

    With ``all_wordings``, macros are called with ``EVERY`` in place of a variant.

    Each process has one environment for each folder. It caches compiled templates and reloads changed ones.
    Any error in templates and their macros is an OrreryError.
    """
    jinja = Sandbox(
        all_wordings=all_wordings,
        loader=_Templates(templates),
        bytecode_cache=_compiled(templates, all_wordings),
        keep_trailing_newline=True,
    )
    jinja.filters |= {
        "form": form, "plural": plural, "ordinal": ordinal, "number": number, "a": article,
        "sentence": sentence, "listing": listing, "by_name": by_name,
    }  # fmt: skip
    return jinja


def _compiled(templates: Path, all_wordings: bool) -> FileSystemBytecodeCache | None:
    """Return Jinja's cache of compiled templates; None without a writable temporary folder of DVC.

    Without it, every process of every stage compiles the templates: 20 of 430 processor seconds at ``small``.
    Jinja recompiles changed templates. The name of the folder changes with the compiler.
    """
    parent = templates.absolute().parent / COMPILED  # also after a change of the working folder
    if not os.access(parent, os.W_OK):
        return None
    code = f"{Path(sandbox.__file__).read_text('utf-8')} {version('jinja2')} {all_wordings}"
    folder = parent / f"templates-{sha256(code.encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    return FileSystemBytecodeCache(str(folder))


@lru_cache(maxsize=MODULES_KEPT)
def macros_of(templates: Path, name: str, *needed: str) -> Any:
    """Return the macros and values of the template ``<name>.j2``, cached in each process.

    Raises:
        OrreryError: the file is missing or broken, or it lacks a name in ``needed``.
    """
    path = templates / f"{name}.j2"
    try:
        module = environment(templates).get_template(f"{name}.j2").module
    except TemplateNotFound as error:
        raise OrreryError(str(path), f"template '{error.name}' does not exist", "restore it") from error
    if lacking := [macro for macro in needed if not hasattr(module, macro)]:
        raise OrreryError(str(path), f"does not define macro {lacking[0]}", f"define {' and '.join(needed)}")
    return module


def stub(macro: str, arguments: Sequence[str]) -> str:
    """Return template text for a macro without words yet, for error messages and new domains."""
    spoken = macro.partition("_")[2].replace("_", " ")
    wording = " ~ ' ' ~ ".join([f'"{spoken}"', *arguments])
    signature = ", ".join([*arguments, "variant"])
    return f"{{% macro {macro}({signature}) %}}{{{{ [{wording}] | choose(variant) }}}}{{% endmacro %}}"


def macro_name(kind: str, name: str) -> str:
    """Return the name of the macro for a symbol; Jinja requires underscores in place of hyphens."""
    return f"{kind}_{name.replace('-', '_')}"


@dataclass(frozen=True)
class Words:
    """The words of one domain, read from ``<templates>/domains/<domain>.j2`` at first use.

    ``source`` is the text of the template if the domain has no file, as composed domains.

    Every method raises OrreryError that names the template file (and the line, if it is known).
    """

    domain: str
    templates: Path
    source: str = field(default="", kw_only=True)

    def __reduce__(self) -> tuple[Callable[..., Words], tuple[Any, ...]]:
        """Pickle the words without the compiled template, which cannot be pickled."""
        return partial(type(self), source=self.source), (self.domain, self.templates)

    @property
    def path(self) -> Path:
        """The template file."""
        return self.templates / "domains" / f"{self.domain}.j2"

    @cached_property
    def macros(self) -> Mapping[str, Macro]:
        """The macros of the template, by name."""
        return self._read(all_wordings=False)

    @cached_property
    def macros_of_all(self) -> Mapping[str, Macro]:
        """The macros of the template for all wordings at once, by name."""
        return self._read(all_wordings=True)

    def _read(self, *, all_wordings: bool) -> Mapping[str, Macro]:
        try:
            loader = environment(self.templates, all_wordings)
            file = f"domains/{self.domain}.j2"
            module = (loader.from_string(self.source) if self.source else loader.get_template(file)).module
        except TemplateNotFound as error:
            raise OrreryError(
                str(self.path), "does not exist", "add the template, with a macro for each symbol"
            ) from error
        return {name: value for name, value in vars(module).items() if isinstance(value, Macro)}

    @cached_property
    def _phrase(self) -> Callable[..., str]:
        """``call`` with a cache: texts state the same facts thousands of times."""
        return lru_cache(maxsize=PHRASES_KEPT)(self.call)

    @cached_property
    def _count(self) -> Callable[[str], int]:
        """The number of wordings of a macro, with a cache."""

        def count(macro: str) -> int:
            names = self.macros[macro].arguments if macro in self.macros else ("variant",)
            arguments = [f"x{i}x" for i in range(len(names) - 1)]
            return len({self.call(macro, *arguments, variant) for variant in range(WORDINGS_TRIED)})

        return lru_cache(maxsize=None)(count)

    def call(self, macro: str, *arguments: Any) -> str:
        """Return the text of a macro for some arguments; the last argument is a wording or a turn."""
        if macro not in self.macros:
            names = [f"x{i}" for i in range(1, len(arguments))]
            raise OrreryError(str(self.path), f"macro {macro} is missing", f"add {stub(macro, names)}")
        try:
            macros = self.macros_of_all if arguments and arguments[-1] is EVERY else self.macros
            return tidy(str(macros[macro](*arguments)))
        except TypeError as error:  # the number of arguments differs from that in its first line
            text = self.source or self.path.read_text(encoding="utf-8")
            before, _, _ = text.partition(f"macro {macro}(")
            place = f"{self.path}:{before.count(chr(10)) + 1}"
            raise OrreryError(place, f"macro {macro}: {error}", "correct the template") from error

    def say(self, kind: str, name: str, *arguments: str, variant: int = 0) -> str:
        """Return the phrase of symbol ``name`` of ``kind`` ("fact" or "action") in wording ``variant``."""
        return self._phrase(macro_name(kind, name), *arguments, variant)

    def variants(self, kind: str, name: str) -> int:
        """Return the number of different wordings of a symbol; wordings 0 .. n - 1 differ."""
        return self._count(macro_name(kind, name))

    def fact(self, atom: Atom, variant: int = 0) -> str:
        """Return a clause that states the fact: no capital, no full stop."""
        return self.say("fact", *atom, variant=variant)

    def literal(self, literal: Literal, variant: int = 0) -> str:
        """Return a clause that states the literal; a negative one begins with "it is not the case that"."""
        clause = self.fact(literal.atom, variant)
        return clause if literal.positive else NEGATION + clause

    @cached_property
    def sentences(self) -> Callable[[Literal], tuple[str, ...]]:
        """Every wording of a literal as a whole sentence, with a cache."""

        def all_of(literal: Literal) -> tuple[str, ...]:
            count = self.variants("fact", literal.atom[0])
            return tuple([self.stated(literal, variant) for variant in range(count)])

        return lru_cache(maxsize=PHRASES_KEPT)(all_of)

    def stated(self, literal: Literal, variant: int) -> str:
        """Return the literal as a whole sentence in wording ``variant``."""
        clause = self.call(macro_name("fact", literal.atom[0]), *literal.atom[1:], variant)
        if not literal.positive:
            return sentence(NEGATION + clause)
        text, first = sentence(clause), next(iter(clause.split(maxsplit=1)), "")
        if first.partition("'")[0] not in literal.atom[1:]:
            return text
        # A name keeps its spelling at every position: "b1 is clear".
        return first + text[len(text.split(maxsplit=1)[0]) :]

    def action(self, step: Step, variant: int = 0) -> str:
        """Return an infinitive phrase without "to" for the step of a plan."""
        return self.say("action", *step, variant=variant)

    def intro(self, variant: int | Turn = 0) -> str:
        """Return a paragraph that describes the domain and the constraints on its actions."""
        return self.call("intro", turn_of(variant))

    def objects(self, names: Mapping[str, Sequence[str]], variant: int | Turn = 0) -> str:
        """Return the sentences that list the objects by type (see ``names_by_type``)."""
        return self.call("objects", names, turn_of(variant))

    def kinds_listed(self, domain: Domain) -> tuple[str, ...]:
        """Return the unary static predicates that every wording of the list of objects states.

        Domains without types use such predicates as kinds of objects.
        """
        kinds = [p.name for p in domain.predicates if p.arity == 1 and p.name not in domain.fluents]
        if not kinds:
            return ()
        keys = [*names_by_type(Problem("", domain.name, (), frozenset(), frozenset()), domain), OBJECT]
        marked = {key: [f"k{number}x{n}y" for n in range(3)] for number, key in enumerate(keys)}
        texts = list(self.every("objects", marked).every(KINDS_TRIED))
        return tuple(kind for kind in kinds if all(name in text for text in texts for name in marked[kind]))

    def has_passage(self, part: str, configuration: str) -> bool:
        """Return whether ``configuration`` has an abstract text for ``part``, "init" or "goal"."""
        return macro_name(part, configuration) in self.macros

    def passage(
        self, part: str, configuration: str, parameters: Parameters, names: Mapping[str, Sequence[str]],
        variant: int | Turn = 0,
    ) -> str:  # fmt: skip
        """Return the abstract text of initial state or goal: whole sentences."""
        return self.call(macro_name(part, configuration), parameters, names, turn_of(variant))

    def every(self, macro: str, *arguments: Any) -> Wordings:
        """Return all texts of a macro of sentences: ``intro``, ``objects``, or that of a configuration.

        Raises:
            OrreryError: the texts cannot be derived from all choices at once, and there are too many to list.
        """
        try:
            wordings = Wordings.of(self.call(macro, *arguments, EVERY))
            samples = [self.call(macro, *arguments, Turn(number, held=True)) for number in TURNS_TRIED]
            if all(wordings.match(text) is not None for text in samples):
                return wordings
        except (OrreryError, ValueError):
            pass  # the template changes a wording in a way that needs one chosen wording
        return Wordings.listed(self._texts_of_macro(macro, arguments))

    def _texts_of_macro(self, macro: str, arguments: Sequence[Any]) -> list[str]:
        """Return the texts of a macro, one for each path of choices."""
        texts, path = list[str](), list[int]()
        while len(texts) < TEXTS_TRIED:
            turn = Followed(path)
            texts.append(self.call(macro, *arguments, turn))
            path = turn.next()
            if not path:
                return list(dict.fromkeys(texts))
        raise OrreryError(
            str(self.path), f"macro {macro} has more than {TEXTS_TRIED} wordings", "offer fewer choices"
        )

    def missing(self, domain: Domain) -> list[str]:
        """Return stubs of the macros that the domain's predicates and actions lack, sorted."""
        signatures = [(macro_name("fact", p.name), p.parameters) for p in domain.predicates]
        signatures += [(macro_name("action", a.name), a.parameters) for a in domain.actions]
        return sorted(
            stub(name, [p.name.lstrip("?").replace("-", "_") for p in parameters])
            for name, parameters in signatures
            if name not in self.macros
        )


def turn_of(variant: int | Turn) -> Turn:
    """Return a turn: the argument itself, or a new turn with this number."""
    return variant if isinstance(variant, Turn) else Turn(variant)


@lru_cache(maxsize=PHRASES_KEPT)
def natural(name: str) -> tuple[object, ...]:
    """Return a sort key that puts b2 before b10."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name))


def capitalised(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def by_name(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the pairs of the mapping with b2 before b10; parameters read from JSON have b10 first."""
    return sorted(mapping.items(), key=lambda pair: natural(pair[0]))


def names_by_type(problem: Problem, domain: Domain) -> dict[str, list[str]]:
    """Return object names by declared type and by unary static predicate, with b2 before b10.

    In an untyped domain, all objects are under "object", sorted by kind; static predicates replace types.
    Constants come first, so that the order does not depend on the names of the other objects.
    """
    names_of: dict[str, list[str]] = {typed.name: [] for typed in domain.types}
    kinds: dict[str, list[str]] = {}
    for typed in (*problem.objects, *domain.constants):
        for kind in typed.types:
            names_of.setdefault(kind, []).append(typed.name)
    for predicate in domain.predicates:
        if predicate.arity == 1 and predicate.name not in domain.fluents:
            names_of[predicate.name] = [atom[1] for atom in problem.init if atom[0] == predicate.name]
            for name in names_of[predicate.name]:
                kinds.setdefault(name, []).append(predicate.name)
    constants = frozenset(typed.name for typed in domain.constants)
    by_kind = natural if domain.types else kind_by_kind(kinds)

    def place(name: str, order: Callable[[str], tuple[object, ...]]) -> tuple[object, ...]:
        return name not in constants, order(name)

    return {
        kind: sorted(set(names), key=partial(place, order=by_kind if kind == OBJECT else natural))
        for kind, names in sorted(names_of.items())
    }


def kind_by_kind(kinds: Mapping[str, Sequence[str]]) -> Callable[[str], tuple[object, ...]]:
    """Return a function that gives sort keys: names by kind, if no name has two kinds, and b2 before b10.

    Names without a kind come last.
    """
    if any(len(kinds_of_name) > 1 for kinds_of_name in kinds.values()):
        return natural
    return lambda name: (name not in kinds, *kinds.get(name, ("",)), natural(name))


def explicit(facts: Iterable[Literal], words: Words, rng: random.Random, between: str = " ") -> str:
    """Return one sentence for each literal; ``rng`` determines order and wordings.

    ``facts`` is a state or goal: ``literals(problem.init)`` or ``problem.goal``.
    """
    ordered = [words.sentences(literal) for literal in sorted(facts)]
    return between.join(arranged(ordered, numbers(rng, len(ordered))).sentences)


def numbers(rng: random.Random, count: int) -> tuple[int, ...]:
    """Return ``count`` 32-bit numbers from ``rng``, drawn in one call."""
    return struct.unpack(f"<{count}I", rng.randbytes(4 * count))


def arranged(wordings: Iterable[Sequence[str]], drawn: Iterable[int], held: bool = False) -> ChosenSentences:
    """Return one sentence for each element, in random order.

    One value of ``drawn`` decides each choice; if ``held``, held-out wordings may be chosen.
    """
    sentences, is_held_out = [], False
    for number_drawn, choice in sorted(zip(drawn, wordings, strict=True)):
        turn = Turn(number_drawn, held)
        sentences.append(choice[turn.digit(len(choice))])
        is_held_out |= turn.held_out
    return ChosenSentences(sentences, is_held_out)
