"""Near-duplicates against cosines reckoned from the definition."""

import math
import random
from collections import Counter

from orrery.corpus.funnel import near_duplicates


def cosine(texts, first, second):
    counts = [Counter(text.split()) for text in texts]
    df = Counter(word for count in counts for word in count)
    vectors = [
        {w: n * (math.log((1 + len(texts)) / (1 + df[w])) + 1) for w, n in count.items()} for count in counts
    ]
    length = [math.sqrt(sum(v * v for v in vector.values())) for vector in vectors]
    dot = sum(value * vectors[second].get(word, 0) for word, value in vectors[first].items())
    return dot / (length[first] * length[second])


def test_what_is_near_a_kept_one_is_left_out():
    rng, seen = random.Random(2), Counter()
    for _ in range(40):
        texts = [" ".join(rng.choices("abcdef", k=6)) for _ in range(8)]
        twins = near_duplicates(texts, 0.9)
        kept_rows = []
        for row, twin in enumerate(twins):
            near = [(cosine(texts, row, earlier), -earlier) for earlier in kept_rows]
            if twin is None:
                assert all(value <= 0.9 + 1e-9 for value, _ in near)
                kept_rows.append(row)
            else:
                assert twin[0] in kept_rows
                assert math.isclose(twin[1], max(near)[0])
            seen[twin is None] += 1
    assert min(seen[True], seen[False]) > 20


def test_parentheses_comments_and_order_do_not_count():
    twin = near_duplicates(["(a (b c))", "(c a b) ; d"])[1]
    assert twin is not None
    assert twin[0] == 0
    assert math.isclose(twin[1], 1.0)


def test_known_texts_are_kept_whatever_they_are():
    assert near_duplicates(["a b", "a b", "a b"], references=2)[:2] == [None, None]
    assert near_duplicates(["a b", "a b", "a b"], references=2)[2] is not None
    assert near_duplicates(["", "", "a"]) == [None, None, None]
