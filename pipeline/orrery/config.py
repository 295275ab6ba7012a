"""YAML configuration as validated models: ``params.yaml`` and the ``domain.yaml`` of each domain.

The models define the values of keys. ``StrictMapping`` defines the behaviour of keys in all models.
``_refusal`` writes the error message: the file, the place in it, the problem and the expected value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from orrery.model import OrreryError, UsageError, suggest
from orrery.yaml_text import edited, read_yaml, yaml_of

Model = TypeVar("Model", bound=BaseModel)

SHOWN = 80  # maximum characters of a faulty value
MAX_SECONDS = 1_000_000.0
COMPOSED = "composed/asked.yaml"  # below the output folder


def _short(value: object) -> str:
    """Return a value as shown in messages."""
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _fault(problem: str, mend: str, **named: object) -> PydanticCustomError:
    """Return a fault as raised by models: ``problem`` with the values of ``named``, and the fix."""
    return PydanticCustomError("fault", problem, {**named, "mend": mend})


def _expected(description: str) -> WrapValidator:
    """State the expected value in errors. If a part of the value is wrong, the error of the part is used."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            if any(fault["loc"] or fault["type"] == "fault" for fault in error.errors()):
                raise
            raise _fault(f"expected {description}, found {{found}}", "", found=_short(value)) from error

    return WrapValidator(check)


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise _fault("'{name}' is listed twice", "list every name once", name=twice[0])
    return names


def _in_order(limits: tuple[int, int]) -> tuple[int, int]:
    if limits[0] > limits[1]:
        raise ValueError("not in order")
    return limits


def _range(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Refuse a range as a whole, because a message could not name its two numbers."""
    try:
        return handler(value)
    except ValidationError as error:
        raise _fault("is {found}", "give [least, most], from 0 on", found=_short(value)) from error


BANDS = (10, 25, 50, 100, 250, 500, 1000)  # largest numbers of steps; a band begins after the one before


def _of_bands(value: int) -> int:
    """Refuse a number of steps that is not the largest one of a band."""
    if value not in BANDS:
        raise _fault("{found} is not a band", f"give one of {', '.join(map(str, BANDS))}", found=str(value))
    return value


Text = Annotated[str, _expected("text")]
Version = Annotated[
    str, Field(pattern=r"^(\d+\.\d+\.\d+)?$"), _expected("a version as '1.0.0', or '' for none")
]
Flag = Annotated[bool, _expected("true or false")]
Whole = Annotated[int, _expected("a whole number")]
Count = Annotated[int, Field(ge=0), _expected("a whole number from 0 on")]
Positive = Annotated[int, Field(ge=1), _expected("a whole number from 1 on")]
Seconds = Annotated[float, Field(ge=1, le=MAX_SECONDS), _expected("a number from 1 to a million")]
Share = Annotated[float, Field(ge=0, le=1), _expected("a share from 0 to 1")]
# Only these are not strict, because YAML has lists in place of tuples.
Names = Annotated[
    tuple[Text, ...], Field(strict=False), AfterValidator(_each_once), _expected("a list of names")
]
Range = Annotated[tuple[Count, Count], Field(strict=False), AfterValidator(_in_order), WrapValidator(_range)]
Counts = Annotated[Mapping[Text, Count], _expected("counts by difficulty, as {easy: 10}")]
Arguments = Annotated[
    tuple[Positive, Positive], Field(strict=False), _expected("the numbers of two arguments, as [1, 2]")
]
Relations = Annotated[Mapping[Text, Arguments], _expected("two arguments by predicate, as {at: [1, 2]}")]


Band = Annotated[int, AfterValidator(_of_bands), _expected("a whole number")]
Vocabulary = Annotated[Literal["meaningless", "misleading"], _expected("one of meaningless, misleading")]


class StrictMapping(BaseModel):
    """A mapping with known keys. A key without a value counts as missing, unless it is required."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, content: Any) -> Any:
        if isinstance(content, cls):
            return content
        if not isinstance(content, dict):
            raise _fault("expected keys with values, found {found}", "", found=_short(content))
        keys = ", ".join(cls.model_fields)
        if unknown := sorted(set(map(str, content)) - set(cls.model_fields)):
            raise _fault("does not know '{key}'", f"keys are: {keys}", key=unknown[0][:SHOWN])
        needed = {name for name, field in cls.model_fields.items() if field.is_required()}
        if lacking := [name for name in cls.model_fields if name in needed - set(content)]:
            raise _fault("lacks '{key}'", "add it", key=lacking[0])
        return {key: value for key, value in content.items() if value is not None or key in needed}


class Shares(StrictMapping):
    """The share of each split; the sum is 1."""

    train: Share = 0.0
    validation: Share = 0.0
    test: Share = 0.0

    @model_validator(mode="after")
    def _add_up(self) -> Shares:
        if abs(self.train + self.validation + self.test - 1) > 1e-9:
            raise _fault("the shares do not add up to 1", "change one of them")
        return self


class Sight(StrictMapping):
    """What an agent with local sight sees; arguments of predicates are numbered from 1.

    ``agent``: the predicates that place an acting agent, with the argument that is the place. ``located``:
    the predicates that place other objects, with the arguments for the object and for its place or
    container. ``seen_if``: for predicates of ``located``, what must hold of a container so that its content
    is seen. ``adjacent``: static predicates that make two places adjacent, in both directions. ``nearby``:
    the predicates that are seen of adjacent places, too.
    """

    agent: Annotated[
        Mapping[Text, Positive], Field(min_length=1), _expected("an argument by predicate, as {at-robot: 1}")
    ]
    located: Relations = Field(default_factory=dict)
    seen_if: Annotated[Mapping[Text, Text], _expected("a predicate by predicate, as {in: open}")] = Field(
        default_factory=dict
    )
    adjacent: Relations = Field(default_factory=dict)
    nearby: Names = ()


class Description(StrictMapping):
    """The content of a ``domain.yaml``; every key is optional.

    ``texts``: whether its problems are rendered for text_to_pddl. ``questions``: whether questions are
    generated; otherwise its rows are only worked examples for prompts.
    ``split``: the share of each split among problems not held out by ``test_only`` and ``test_tasks``.
    ``costs``: the cost of actions; 1 for an action that is not listed, if others are. ``difficulties``: by
    difficulty, the limits for the generator's draws. ``named``: whether the generator's names have a meaning,
    so that objects keep them; otherwise objects may be renamed (see ``templates/names``). ``sight``: what an
    agent sees in a world with local sight. ``barriers``: the predicates whose initial facts may be removed
    for questions on reachability (see ``planning.barriers``). ``no_tasks``: the tables whose streams have no
    items of the domain, because hardly any choices of it can be balanced.
    """

    title: Text = ""
    source: Text = ""
    license: Text = "MIT"
    texts: Flag = True
    questions: Flag = True
    test_only: Flag = False
    test_tasks: Names = ()
    split: Shares = Shares(train=0.7, validation=0.1, test=0.2)
    costs: Annotated[Mapping[Text, Positive], _expected("costs by action, as {drive: 3}")] | None = None
    difficulties: (
        Annotated[
            Mapping[Text, Annotated[Mapping[Text, Range], _expected("ranges, as {blocks: [2, 5]}")]],
            _expected("limits by difficulty, as {easy: {blocks: [2, 5]}}"),
        ]
        | None
    ) = None
    picture: Annotated[Mapping[Text, Any], _expected("keys with values")] | None = None
    sight: Sight | None = None
    barriers: Names = ()
    named: Flag = False
    no_tasks: Names = ()


class NameList(StrictMapping):
    """A file of ``templates/names``: names for objects. The name of the file is the style.

    ``fits``: the types of objects that often have such names. ``test_only``: whether all names are reserved
    for problems of test splits, instead of only the last eighth.
    """

    names: Names
    fits: Names = ()
    test_only: Flag = False


class CountsOfDomain(StrictMapping):
    """Counts for one domain, which replace those of the size."""

    problems: Counts | None = None
    test: Counts | None = None


class DrawSize(StrictMapping):
    """The number of problems to draw of a domain, and their splits.

    ``problems``: the number of each difficulty. Held-out tasks have their share of it, unless ``test`` gives
    separate counts. ``tasks``: by domain, the tasks to draw (default: all). ``split``: shares
    by split that replace those in domain.yaml, also for held-out tasks and test-only domains.
    """

    problems: Counts
    test: Counts | None = None
    tasks: Annotated[Mapping[Text, Names], _expected("tasks by domain")] = Field(default_factory=dict)
    split: Shares | None = None


class SolveSize(StrictMapping):
    """The extent of solving, and its limits.

    ``problems_with_questions``: number of problems per split with questions. ``states``: states of each of
    these. ``extra_problems``: further problems per split whose states are solved, if some but fewer than half
    of the states have a plan, a landmark, or something unreachable. ``plan_states``: further states of every
    problem for which only a plan is computed. They get questions that need only a plan, if solved states give
    too few. ``barred_states``: states of each of all these problems that are made for questions on
    reachability, if the domain has barriers. ``max_states``: the maximum size of a state space, in states.
    ``max_facts``: the maximum size of a task, in fluent facts, for deciding landmarks. ``seconds``: the limit
    of one planner call.
    """

    problems_with_questions: Count
    states: Count
    extra_problems: Count = 0
    plan_states: Count = 0
    barred_states: Count = 0
    max_states: Positive = 200_000
    max_facts: Count = 120
    seconds: Seconds = 30.0


class RenderSize(StrictMapping):
    """The extent of rendering each problem.

    ``paraphrases``: the number of wordings. ``vocabularies``: the share of problems, 0 to 1, that are also
    rendered with obfuscated names, by vocabulary.
    """

    paraphrases: Positive = 1
    vocabularies: Annotated[Mapping[Vocabulary, Share], _expected("shares by name")] = Field(
        default_factory=dict
    )


class AskSize(StrictMapping):
    """The number of questions to keep of a domain, and limits for questions on unreachability.

    ``questions``: the maximum per kind, format and split. With ``exact`` it is required: otherwise
    ``orrery generate-questions`` ends with exit code 5, unless the domain cannot give more non-trivial
    questions (see ``families.questions.cells``); then other domains have more rows. Three shares limit
    guessing. ``none``: the maximum share of answers None, among open questions with the answer None or
    several unreachable facts or actions. ``search``: among the same questions, the share, if available, of
    rows in which every right answer is reachable in the delete relaxation. ``blind``: the maximum share of
    rows that a form of reply gets right without reading the state; half of it for a single reply. ``none``
    and ``blind`` also apply to landmarks.
    """

    questions: Count
    exact: Flag = False
    none: Share = 0.25
    search: Share = 0.5
    blind: Share = 0.5

    @model_validator(mode="after")
    def _halves(self) -> AskSize:
        if self.exact and self.questions % 2:
            raise _fault("an exact number of questions is odd", "give an even one: half of yes/no are yes")
        return self


class PoseSize(StrictMapping):
    """The number of plan tasks to keep of a domain.

    ``rows``: the maximum per task and split. ``max_states``: the maximum size of a searched state space.
    ``vocabularies``: the share of states, 0 to 1, that also get rows with obfuscated names, by
    vocabulary, and the same share of ``rows`` to keep. ``bands``: the number of long problems, by band of the
    number of steps of a shortest plan, that generators with a function ``ladder`` draw for the test split,
    and the maximum of further rows on such problems per task and band.
    """

    rows: Count
    max_states: Positive = 20_000
    vocabularies: Annotated[Mapping[Vocabulary, Share], _expected("shares by name")] = Field(
        default_factory=dict
    )
    bands: Annotated[Mapping[Band, Count], _expected("counts by band, as {50: 2}")] = Field(
        default_factory=dict
    )


class WorldsSize(StrictMapping):
    """The number of worlds to keep of a domain.

    ``rows``: the maximum per split. ``max_states``: the maximum size of a world, in reachable states.
    """

    rows: Count
    max_states: Positive = 5_000


class ComposeSize(StrictMapping):
    """The number of composed domains that are kept, and of those with problems, questions and plans."""

    domains: Count = 0
    asked: Count = 0

    @model_validator(mode="after")
    def _asked_are_kept(self) -> ComposeSize:
        if self.asked > self.domains:
            raise _fault("'asked' is more than 'domains'", "ask about no more domains than are composed")
        return self


class CheckSize(StrictMapping):
    """The extent of checks by other tools.

    ``recheck_sample_rate``: the share of problems, 0 to 1, that another tool reads from PDDL, with their
    plans. ``seconds``: the limit of one planner call.
    """

    recheck_sample_rate: Share = 0.02
    seconds: Seconds = 30.0


class Size(StrictMapping):
    """The extent of a build: a group of keys for each step, so that DVC knows which steps a change affects.

    ``scale``: factor applied to the numbers of problems, of problems with questions, and of questions.
    ``by_domain``: other ``problems`` and ``test`` to draw for some domains.
    """

    scale: Positive
    draw: DrawSize
    by_domain: Annotated[Mapping[Text, CountsOfDomain], _expected("counts by domain")]
    solve: SolveSize
    render: RenderSize
    ask: AskSize
    pose: PoseSize = PoseSize(rows=0)
    worlds: WorldsSize = WorldsSize(rows=0)
    composed: ComposeSize = ComposeSize()
    check: CheckSize

    def counts(self, name: str) -> tuple[Mapping[str, int], Mapping[str, int] | None]:
        """Return the problems by difficulty for a domain, and the separate ones of its held-out tasks."""
        domain_counts = self.by_domain.get(name)
        if domain_counts is None:
            return self.draw.problems, self.draw.test
        problems = self.draw.problems if domain_counts.problems is None else domain_counts.problems
        return problems, domain_counts.test

    def scaled(self) -> Size:
        """Return the size with its counts multiplied by ``scale``, and ``scale`` set to 1."""
        times = partial(_times, self.scale)
        return self.model_copy(
            update={
                "scale": 1,
                "draw": times(self.draw, "problems", "test"),
                "by_domain": {
                    name: times(counts, "problems", "test") for name, counts in self.by_domain.items()
                },
                "solve": times(self.solve, "problems_with_questions", "extra_problems"),
                "ask": times(self.ask, "questions"),
                "pose": times(self.pose, "rows", "bands"),
                "worlds": times(self.worlds, "rows"),
                "composed": times(self.composed, "domains"),
            }
        )


def _times(scale: int, group: Model, *keys: str) -> Model:
    """Return a group of keys with some numbers, or counts by difficulty, multiplied."""
    values = {key: getattr(group, key) for key in keys}
    update = {
        key: {name: scale * count for name, count in value.items()}
        if isinstance(value, Mapping)
        else scale * value
        for key, value in values.items()
        if value is not None
    }
    return group.model_copy(update=update)


class HeldOut(StrictMapping):
    """Additions to the test split of domain.yaml: configurations by domain, and whole domains."""

    configurations: Annotated[Mapping[Text, Names], _expected("configurations by domain")] = Field(
        default_factory=dict
    )
    domains: Names = ()


class Folder(StrictMapping):
    """A folder of domains by other authors. Without a licence its rows are never published."""

    path: Text
    license: Text = ""


def _folder(value: Any) -> Any:
    """Accept a folder given only by its path."""
    if not isinstance(value, str | dict | Folder):
        raise _fault(
            "{found} is not a folder", "give a path, or {path: ..., license: MIT}", found=_short(value)
        )
    return {"path": value} if isinstance(value, str) else value


Folders = Annotated[tuple[Annotated[Folder, BeforeValidator(_folder)], ...], Field(strict=False)]
Source = Annotated[
    Literal["pddlgym", "pddl", "unified-planning"], _expected("one of pddlgym, pddl, unified-planning")
]


class CorpusLimits(StrictMapping):
    """Sources and limits of the corpus.

    ``sources``: packages to read. ``folders``: your own folders. ``sample``: the maximum number of domain
    files, sampled by the seed; 0 means all. ``against``: files, folders or ``FILE:COLUMN`` of other
    benchmarks. ``cosine``: domains above this similarity are near-duplicates. ``overlap``: the maximum share
    of 10-grams that occur in one of ``against``. ``problems``: decided problems kept per domain, of at most
    ``attempts``, each within ``seconds``. ``synthesised``: domains produced by our edits, which need its
    problems in outputs/problems.
    """

    sources: Annotated[tuple[Source, ...], Field(strict=False), _expected("a list of packages")] = (
        "pddlgym",
        "pddl",
        "unified-planning",
    )
    folders: Annotated[Folders, _expected("a list of folders")] = ()
    against: Names = ()
    sample: Count = 0
    cosine: Share = 0.9
    predicates: Count = 40
    actions: Count = 20
    tokens: Count = 5000
    overlap: Share = 0.5
    problems: Count = 3
    attempts: Count = 6
    seconds: Count = 4
    synthesised: Count = 0


class Corpus(CorpusLimits):
    """Limits of the corpus, and limits that replace them at a size."""

    sizes: Annotated[Mapping[Text, CorpusLimits], _expected("limits by size")] = Field(default_factory=dict)

    def of_size(self, name: str) -> CorpusLimits:
        """Return the limits that apply at a size."""
        limits = self.sizes.get(name, CorpusLimits())
        values = dict(self) | {key: getattr(limits, key) for key in limits.model_fields_set}
        return CorpusLimits(**{key: values[key] for key in CorpusLimits.model_fields})


class Params(StrictMapping):
    """The content of ``params.yaml``."""

    seed: Whole
    sealed: Flag = False
    version: Version = ""
    domains: Names
    size: Text
    sizes: Annotated[Mapping[Text, Size], _expected("keys with values")]
    held_out: HeldOut = HeldOut()
    corpus: Corpus = Corpus()


@dataclass(frozen=True)
class Settings:
    """The settings of ``params.yaml`` at its size.

    A ``sealed`` build has a secret seed. ``version`` is that of the dataset; empty if it has none.
    """

    root: Path
    seed: int
    domains: tuple[str, ...]
    size_name: str
    size: Size
    held_out: HeldOut
    corpus: CorpusLimits
    sealed: bool = False
    version: str = ""

    @property
    def outputs(self) -> Path:
        """The output folder of all stages."""
        return self.root / "outputs"

    @cached_property
    def composed(self) -> Mapping[str, str]:
        """The composed domains with problems, questions and plans, and what train has seen of each.

        The stage ``compose`` writes them; empty before.
        """
        path = self.outputs / COMPOSED
        return dict(read_yaml(path) or {}) if path.exists() else {}

    @property
    def all_domains(self) -> tuple[str, ...]:
        """The domains of params.yaml, then the composed ones."""
        return (*self.domains, *self.composed)

    @property
    def unfinished(self) -> Path:
        """The folder of finished parts of unfinished stages; empty when all are done."""
        return self.outputs / ".unfinished"


def load(root: Path) -> Settings:
    """Read the settings of the checkout at ``root``.

    Raises:
        OrreryError: the file is missing, is not YAML, or has an unknown key or a value of the wrong type.
    """
    path = root / "params.yaml"
    if not path.exists():
        raise OrreryError(
            str(path),
            "cannot be read: No such file",
            "run the command in the folder that contains it, or name the folder with --root",
        )
    params = read_model(path, Params)
    if params.size not in params.sizes:
        mend = suggest(str(params.size), "sizes are", params.sizes)
        raise OrreryError(f"{path}: size", f"unknown size {_short(params.size)}", mend)
    return _of_size(path, params, params.size)


def written(settings: Settings) -> str:
    """Return the text of a ``params.yaml`` that has these settings, at their size alone.

    Folders of the corpus are left out: they are paths of one machine.
    """
    content = {
        "seed": settings.seed,
        "sealed": settings.sealed,
        "version": settings.version,
        "domains": list(settings.domains),
        "held_out": settings.held_out.model_dump(),
        "size": settings.size_name,
        "sizes": {settings.size_name: settings.size.model_dump(exclude_none=True)},
        "corpus": settings.corpus.model_dump() | {"folders": []},
    }
    return yaml_of(content)


def choose(root: Path, name: str) -> Settings:
    """Load the settings with the size ``name`` and write the size to ``params.yaml``.

    Raises:
        UsageError: there is no such size; the file is unchanged.
        OrreryError: the entry of the size is invalid; the file is unchanged.
    """
    settings, path = load(root), root / "params.yaml"
    if settings.size_name == name:
        return settings
    params = read_model(path, Params)
    if name not in params.sizes:
        mend = suggest(name, "sizes are", params.sizes)
        raise UsageError(f"size '{name}'", f"is not defined in {path}", mend)
    settings = _of_size(path, params, name)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(edited(path, lambda content: content.update(size=name)), encoding="utf-8")
    temporary.replace(path)
    return settings


def _of_size(path: Path, params: Params, name: str) -> Settings:
    """Return the settings at one size.

    Entries for existing domains that are not built are ignored.
    """
    size, held = params.sizes[name], params.held_out
    if not params.domains:
        raise OrreryError(f"{path}: domains", "is an empty list", "name at least one domain")
    for place, names in (
        (f"sizes.{name}.by_domain", size.by_domain),
        (f"sizes.{name}.draw.tasks", size.draw.tasks),
        ("held_out.domains", held.domains),
        ("held_out.configurations", held.configurations),
    ):
        for domain in names:
            if (
                domain not in params.domains
                and not (path.parent / "domains" / domain / "domain.pddl").exists()
            ):
                problem = f"names '{domain}', which is not under 'domains', and has no folder in domains/"
                raise OrreryError(f"{path}: {place}", problem, "correct the name, or remove it")
    corpus = params.corpus.of_size(name)
    return Settings(
        path.parent,
        params.seed,
        params.domains,
        name,
        size.scaled(),
        held,
        corpus,
        params.sealed,
        params.version,
    )


def read_model(path: Path, model: type[Model]) -> Model:
    """Read a YAML file as a ``model``.

    Raises:
        OrreryError: it cannot be read, or does not fit the model; the message names the place and the
            expected value.
    """
    content = read_yaml(path)
    try:
        return model.model_validate({} if content is None else content)  # an empty file
    except ValidationError as error:
        raise _refusal(path, error) from error


def _refusal(path: Path, error: ValidationError) -> OrreryError:
    """Return the message for the first fault of a file."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(step) for step in first["loc"] if step != "[key]")
    problem, mend = first["msg"], first.get("ctx", {}).get("mend", "")
    if first["type"] != "fault":
        problem += f", found {_short(first['input'])}"
    return OrreryError(f"{path}: {place}" if place else str(path), problem, mend)
