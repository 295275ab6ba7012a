"""10-grams with up to four mismatches, against the definition; the probe; what counts as a word."""

import json
import random

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.corpus.contamination import GRAM, MISMATCHES, NgramIndex, Overlap, compare, probe, total
from orrery.language.tokenizer import content_words, leading, symbols


def contamination(*arguments):
    return CliRunner().invoke(app, ["contamination", *map(str, arguments)])


def brute_force(text, texts):
    """Straight from the definition."""
    words = text.split()
    covered, count = set(), 0
    for at in range(len(words) - GRAM + 1):
        gram = words[at : at + GRAM]
        for words_there in map(str.split, texts):
            windows = [words_there[i : i + GRAM] for i in range(len(words_there) - GRAM + 1)]
            if any(sum(a != b for a, b in zip(gram, w, strict=True)) <= MISMATCHES for w in windows):
                count += 1
                covered.update(range(at, at + GRAM))
                break
    return Overlap(max(len(words) - GRAM + 1, 0), count, len(words), len(covered))


def drawn(rng, alphabet, length):
    return " ".join(rng.choices(alphabet, k=length))


@pytest.mark.parametrize("letters", [2, 3, 5, 12])
def test_share_is_that_of_the_definition(letters):
    rng, partly = random.Random(letters), 0
    alphabet = [f"w{n}" for n in range(letters)]
    for _ in range(60):
        text = drawn(rng, alphabet, rng.randrange(0, 30))
        texts = [drawn(rng, [*alphabet, "z"], rng.randrange(0, 25)) for _ in range(rng.randrange(0, 4))]
        expected = brute_force(text, texts)
        assert compare([text], texts) == [expected], (text, texts)
        partly += 0 < expected.found < expected.grams
    assert partly or letters in (2, 12)


@pytest.mark.parametrize(("changed", "matched"), [(MISMATCHES, 1), (MISMATCHES + 1, 0)])
def test_every_choice_of_mismatches_is_seen(changed, matched):
    rng = random.Random(1)
    words = [f"w{n}" for n in range(GRAM)]
    for _ in range(200):
        changed_words = list(words)
        for at in rng.sample(range(GRAM), changed):
            changed_words[at] = "z"
        assert (
            NgramIndex([" ".join(["a", "b", *changed_words, "c"])]).look_up(" ".join(words)).found == matched
        )


def test_short_and_empty_texts_have_no_share():
    assert compare(["a b c", ""], ["a b c"]) == [Overlap(0, 0, 3, 0), Overlap(0, 0, 0, 0)]
    assert compare(["a"], [])[0].share is None
    assert total([Overlap(4, 1, 13, 10), Overlap(0, 0, 3, 0)]).share == 0.25


def test_keywords_and_variables_do_not_count():
    text = "(define (domain d1) (:action go :parameters (?x - block) :precondition (and (on-table ?x))))"
    assert content_words(text) == ["d1", "go", "block", "on-table"]


def test_probe_counts_only_what_follows_the_beginning():
    domain = "(define (domain lamps)\n" + "\n".join(
        f" (:action act{n} :effect (lit{n} red{n}))" for n in range(12)
    )
    begun, remainder = leading(domain, 20)
    assert len(symbols(begun)) == 20
    assert begun + remainder == domain
    seen = []
    whole = probe(domain, lambda text: seen.append(text) or remainder)
    assert seen == [begun]
    assert whole.share == 1.0
    assert probe(domain, lambda text: text).found == 0
    assert probe(domain, lambda text: "").share == 0.0


def test_command_compares_files_and_columns(tmp_path):
    words = " ".join(f"w{n}" for n in range(20))
    (tmp_path / "a.txt").write_text(words)
    (tmp_path / "b.jsonl").write_text(f'{{"id": "x", "text": "{words}"}}\n{{"id": "y", "text": "no"}}\n')
    result = contamination(tmp_path / "a.txt", f"{tmp_path / 'b.jsonl'}:text")
    assert result.exit_code == 0
    assert result.stdout == "overall: 1.0000 (11 of 11 10-grams, 20 of 20 tokens)\n"
    swapped = contamination(f"{tmp_path / 'b.jsonl'}:text", tmp_path / "a.txt")
    assert "y: too short (0 of 0 10-grams, 0 of 1 tokens)" in swapped.stdout


def test_the_released_file_of_text2world_is_read_with_and_without_a_column(tmp_path):
    words = " ".join(f"w{n}" for n in range(20))
    entry = {"file_name": "x.pddl", "pddl_domain": words, "corrected_description": "none of it", "id": 7}
    (tmp_path / "released.json").write_text(json.dumps([entry, {**entry, "id": 8, "pddl_domain": "short"}]))
    (tmp_path / "a.txt").write_text(words)
    for column in ("", ":pddl_domain"):
        released, text_file = f"{tmp_path / 'released.json'}{column}", str(tmp_path / "a.txt")
        result = contamination(released, text_file)
        assert result.exit_code == 0
        assert "7: 1.0000 (11 of 11 10-grams" in result.stdout
        back = contamination(text_file, released)
        assert back.stdout == "overall: 1.0000 (11 of 11 10-grams, 20 of 20 tokens)\n"
    result = contamination(f"{tmp_path / 'released.json'}:corrected_description", text_file)
    assert "7: too short" in result.stdout


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nothing.txt", "is not a file"),
        ("b.jsonl", "no column"),
        ("b.jsonl:x", "has no text 'x'"),
        ("c.jsonl:x", "c.jsonl:1"),
        ("d.json", "no column"),
        ("d.json:x", "has no text 'x'"),
        ("c.json:x", "is not JSON"),
    ],
)
def test_bad_input_is_reported(tmp_path, source, says):
    (tmp_path / "b.jsonl").write_text('{"text": "a"}\n')
    (tmp_path / "c.jsonl").write_text("{\n")
    (tmp_path / "c.json").write_text("[{")
    (tmp_path / "d.json").write_text('[{"text": "a"}]')
    result = contamination(tmp_path / source, tmp_path / "b.jsonl:text")
    assert result.exit_code in (2, 3)
    assert says in result.stderr


def test_probe_needs_a_completion_for_each_domain(tmp_path):
    (tmp_path / "a.txt").write_text("(define)")
    (tmp_path / "b.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n')
    result = contamination(tmp_path / "a.txt", f"{tmp_path / 'b.jsonl'}:text", "--probe", "20")
    assert result.exit_code == 2
    assert "2 completions for 1 domains" in result.stderr
