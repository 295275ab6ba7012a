"""The compiled loops behind ``certificates``: refinement as in ``refinement``, and what follows from it.

Compiled by numba when first called, and kept on disk beside this file. Each step is that of the plain route,
so that cells come in the same order; the order of vertices within a cell differs, and nothing depends on it.
What refinement leaves open is taken apart into components, as ``canonical`` does; where within each, too,
the cells say everything, nothing is to be tried, and the certificate is written, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]

WORD = 62  # bits of a number that may be used: weights are added
DONE, REST, TOO_WIDE = 0, 1, 2  # the certificate is written; only the partition is known; nothing is
NONE, ABSENT = -1, 0  # no exception; a pair that is not related where most of its cells are
PER_VERTEX, PER_PAIR = 16, 8  # codes that components may take; where they do not do, the plain route does
PER_CODE = 14  # bytes that are written for a code, at most
OPEN, CLOSE, COMMA, SPACE, BEGIN, END, ZERO = (ord(sign) for sign in "(), []0")


def _compiled(function: Any) -> Any:
    """Compile on first call; without a cache where no folder at all can be written."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


class Work(NamedTuple):
    """Room for one graph: relations and weights of pairs, neighbours, and cells by their first place.

    ``label`` has the vertices cell by cell, ``cell_of`` the first place of each vertex's cell, ``length`` the
    size of the cell that begins at a place, and 0 where none does. ``exception`` has the relations that
    cells do not determine, NONE elsewhere; ``members`` the vertices of components, ``codes`` what these are
    sorted by.
    """

    relation: Numbers
    weight: Numbers
    near: Numbers
    degree: Numbers
    label: Numbers
    cell_of: Numbers
    length: Numbers
    position: Numbers
    sums: Numbers
    waiting: Numbers
    queue: Numbers
    first: Numbers
    second: Numbers
    exception: Numbers
    members: Numbers
    codes: Numbers
    code_from: Numbers


@_compiled
def _relate(work: Work, n: int, pairs: Numbers) -> None:
    """Put in the relations of a graph: rows of two vertices, the mark of the pair and that of its reverse."""
    work.degree[:n] = 0
    work.relation[:n, :n] = 0
    for row in range(len(pairs)):
        u, v = pairs[row, 0], pairs[row, 1]
        if work.relation[u, v] == 0:
            work.near[u, work.degree[u]] = v
            work.near[v, work.degree[v]] = u
            work.degree[u] += 1
            work.degree[v] += 1
        work.relation[u, v] |= pairs[row, 2]
        work.relation[v, u] |= pairs[row, 3]


@_compiled
def _weigh(work: Work, n: int) -> bool:
    """Give each relation a weight by its rank; False where sums of weights would not fit into a word."""
    known, kinds, bits = np.zeros(WORD, np.int64), 0, 0
    while n >> bits:
        bits += 1
    for u in range(n):
        for k in range(work.degree[u]):
            found, at = work.relation[u, work.near[u, k]], 0
            while at < kinds and known[at] != found:
                at += 1
            if at == kinds and kinds < WORD:
                known[kinds] = found
                kinds += 1
    ranks = np.sort(known[:kinds])
    for u in range(n):
        for k in range(work.degree[u]):
            v = work.near[u, k]
            work.weight[u, v] = np.int64(1) << (np.searchsorted(ranks, work.relation[u, v]) * bits)
    return kinds * bits <= WORD


@_compiled
def _sort(label: Numbers, start: int, end: int, by: Numbers) -> None:
    """Sort the vertices between two places."""
    for i in range(start + 1, end):
        vertex, j = label[i], i - 1
        while j >= start and by[label[j]] > by[vertex]:
            label[j + 1] = label[j]
            j -= 1
        label[j + 1] = vertex


@_compiled
def _colour(work: Work, n: int, colours: Numbers) -> int:
    """Make a cell of each colour, in ascending order; return how many have several vertices."""
    for u in range(n):
        work.label[u] = u
    _sort(work.label, 0, n, colours)
    first = several = 0
    for i in range(n):
        work.length[i] = 0
        if i and colours[work.label[i]] != colours[work.label[i - 1]]:
            first = i
        work.cell_of[work.label[i]] = first
        work.length[first] += 1
        several += work.length[first] == 2
    return several


@_compiled
def _add_up(work: Work, n: int, start: int) -> None:
    """Add up, for each vertex, the weights towards the cell at ``start``."""
    work.sums[:n] = 0
    for i in range(start, start + work.length[start]):
        vertex = work.label[i]
        for k in range(work.degree[vertex]):
            v = work.near[vertex, k]
            work.sums[v] += work.weight[vertex, v]


@_compiled
def _largest(work: Work, start: int) -> int:
    """Sort a cell by sums; return the size of the largest part of equal ones."""
    end = start + work.length[start]
    _sort(work.label, start, end, work.sums)
    largest, begin = 0, start
    for i in range(start + 1, end + 1):
        if i == end or work.sums[work.label[i]] != work.sums[work.label[begin]]:
            largest, begin = max(largest, i - begin), i
    return largest


@_compiled
def _split(work: Work, start: int, tail: int) -> tuple[int, int]:
    """Replace a cell by its parts; return how many more cells of several there are, and the queue's end."""
    size, largest = work.length[start], _largest(work, start)
    if largest == size:
        return 0, tail
    end, begin, spared, several = start + size, start, work.waiting[start] != 0, -1
    for i in range(start + 1, end + 1):
        if i == end or work.sums[work.label[i]] != work.sums[work.label[begin]]:
            work.length[begin] = i - begin
            several += i - begin > 1
            for j in range(begin, i):
                work.cell_of[work.label[j]] = begin
            if i - begin == largest and not spared:
                spared = True
            elif not work.waiting[begin]:
                work.waiting[begin] = 1
                work.queue[tail % len(work.queue)] = begin
                tail += 1
            begin = i
    return several, tail


@_compiled
def _refine(work: Work, n: int, several: int) -> None:
    """Split cells until nothing splits, or every vertex is alone; see ``refinement``."""
    head = tail = 0
    for i in range(n):
        work.waiting[i] = work.length[i] > 0
        if work.length[i]:
            work.queue[tail] = i
            tail += 1
    while head < tail and several:
        start = work.queue[head % len(work.queue)]
        head += 1
        work.waiting[start] = 0
        _add_up(work, n, start)
        # The cells with a neighbour, by their place: every place is looked at, as cells split meanwhile.
        here = work.position
        for i in range(n):
            here[i] = 0
        for u in range(n):
            if work.sums[u] and work.length[work.cell_of[u]] > 1:
                here[work.cell_of[u]] = 1
        for i in range(n):
            if here[i]:
                more, tail = _split(work, i, tail)
                several += more


@_compiled
def _except(work: Work, n: int) -> bool:
    """Put in the relations that cells do not determine, see ``canonical``; return whether there are any."""
    found = False
    for i in range(n):
        if work.length[work.cell_of[work.label[i]]] > 1 and not _is_background(work, work.label[i]):
            found = True
            break
    if not found:
        return False
    work.exception[:n, :n] = NONE
    for u in range(n):
        own = work.cell_of[u]
        if work.length[own] < 2:
            continue
        for k in range(work.degree[u]):
            v = work.near[u, k]
            there = work.cell_of[v]
            pairs = work.length[there] - (there == own)
            if 2 * _alike(work, u, v) <= pairs:
                work.exception[u, v] = work.relation[u, v]
            else:
                for m in range(there, there + work.length[there]):
                    w = work.label[m]
                    if w != u and work.relation[u, w] == 0:
                        work.exception[u, w] = ABSENT
    return True


@_compiled
def _is_background(work: Work, vertex: int) -> bool:
    """Return whether the vertex has one and the same relation to all of each cell, or none to any."""
    own = work.cell_of[vertex]
    for k in range(work.degree[vertex]):
        there = work.cell_of[work.near[vertex, k]]
        if _alike(work, vertex, work.near[vertex, k]) != work.length[there] - (there == own):
            return False
    return True


@_compiled
def _alike(work: Work, u: int, v: int) -> int:
    """Return to how many vertices of the cell of ``v`` vertex ``u`` has the relation that it has to ``v``."""
    count, there, relation = 0, work.cell_of[v], work.relation[u, v]
    for k in range(work.degree[u]):
        w = work.near[u, k]
        count += work.cell_of[w] == there and work.relation[u, w] == relation
    return count


@_compiled
def _component(work: Work, n: int, start: int, begin: int, seen: Numbers) -> int:
    """List the vertices that exceptions join to one, from place ``begin`` of the members on, by cell.

    Return the place after them; below 0 where they leave something to be tried.
    """
    end = begin + 1
    work.members[begin] = start
    seen[start] = 1
    at = begin
    while at < end:
        u = work.members[at]
        at += 1
        for v in range(n):
            if work.exception[u, v] != NONE and not seen[v]:
                seen[v] = 1
                work.members[end] = v
                end += 1
    _sort(work.members, begin, end, work.cell_of)
    return end if end - begin < n and _is_settled(work, begin, end) else -1


@_compiled
def _is_settled(work: Work, begin: int, end: int) -> bool:
    """Return whether the vertices of each cell in a component have one exception to all of another, or none.

    The first of a cell speaks for the others.
    """
    for i in range(begin, end):
        u = work.members[i]
        own = work.cell_of[u]
        if i > begin and work.cell_of[work.members[i - 1]] == own:
            continue  # not the first of its cell
        if i + 1 == end or work.cell_of[work.members[i + 1]] != own:
            continue  # alone in it
        cell, relation = -1, NONE
        for j in range(begin, end):
            v = work.members[j]
            if v == u:
                continue
            if work.cell_of[v] != cell:
                cell, relation = work.cell_of[v], work.exception[u, v]
            elif work.exception[u, v] != relation:
                return False
    return True


@_compiled
def _encode_sizes(work: Work, begin: int, end: int, place: int) -> int:
    """Write the sizes of a component's cells, and 0; number the cells; return the place after."""
    count = 0
    for i in range(begin, end):
        if i == begin or work.cell_of[work.members[i]] != work.cell_of[work.members[i - 1]]:
            work.codes[place + count] = 0
            count += 1
        work.codes[place + count - 1] += 1
        work.second[i] = count - 1
    work.codes[place + count] = 0
    return place + count + 1


@_compiled
def _encode(work: Work, begin: int, end: int, place: int, limit: int) -> int:
    """Write numbers that compare as the form of a component does; return the place after.

    Below 0 where they are too many. These are the sizes of its cells, then 0; by cell, for its first vertex,
    1 and cell and relation of each one, from its own cell on, that it has an exception with, then 0; and the
    cells' own places.
    """
    codes, cells = work.codes, work.second
    if place + 4 * (end - begin) + 1 > limit:
        return -1
    place = _encode_sizes(work, begin, end, place)
    for i in range(begin, end):
        if i > begin and cells[i] == cells[i - 1]:
            continue
        for j in range(begin, end):
            relation = work.exception[work.members[i], work.members[j]]
            if cells[j] >= cells[i] and relation != NONE:
                if place + 3 + 2 * (end - begin) > limit:
                    return -1
                codes[place], codes[place + 1], codes[place + 2] = 1, cells[j], relation
                place += 3
        codes[place] = 0
        place += 1
    for i in range(begin, end):
        if i == begin or cells[i] != cells[i - 1]:
            codes[place] = work.position[work.cell_of[work.members[i]]]
            place += 1
    return place


@_compiled
def _take_apart(work: Work, n: int, limit: int) -> int:
    """Encode the components that exceptions make; return how many, below 0 where not all are settled."""
    cells = count = place = 0
    seen = work.sums
    for i in range(n):
        if work.length[i]:
            work.position[i] = cells
            cells += 1
        seen[i] = 0
    begin = 0
    for start in range(n):
        joined = False
        for v in range(n):
            joined = joined or work.exception[start, v] != NONE
        if seen[start] or not joined:
            continue
        end = _component(work, n, start, begin, seen)
        if end < 0:
            return -1
        work.code_from[count] = place
        place = _encode(work, begin, end, place, limit)
        if place < 0:
            return -1
        count += 1
        work.code_from[count] = place
        begin = end
    return count


@_compiled
def _is_less(work: Work, one: int, other: int) -> bool:
    """Return whether the form of one component comes before that of another."""
    codes, i, j = work.codes, work.code_from[one], work.code_from[other]
    while i < work.code_from[one + 1] and j < work.code_from[other + 1]:
        if codes[i] != codes[j]:
            less: bool = codes[i] < codes[j]
            return less
        i += 1
        j += 1
    return False


@_compiled
def _write_components(work: Work, count: int, out: Bytes, place: int) -> int:
    """Write the forms of the components, sorted, as a tuple."""
    order = work.first
    for each in range(count):
        j = each - 1
        while j >= 0 and _is_less(work, each, order[j]):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = each
    out[place] = OPEN
    place += 1
    for each in range(count):
        place = _write_component(work, order[each], out, _separated(out, place, each == 0))
    last: int = _closed(out, place, count)
    return last


@_compiled
def _write_component(work: Work, component: int, out: Bytes, place: int) -> int:
    """Write the form of a component: its outline, as of a whole graph, and the names of its cells."""
    codes, at = work.codes, work.code_from[component]
    size = 0
    out[place : place + 3] = OPEN
    place += 3
    while codes[at + size]:
        place = _number(out, _separated(out, place, size == 0), codes[at + size])
        size += 1
    at += size + 1
    place = _separated(out, _closed(out, place, size), False)
    out[place] = OPEN
    place += 1
    for i in range(size):
        place = _separated(out, place, i == 0)
        out[place] = OPEN
        place += 1
        pairs = 0
        while codes[at] == 1:
            place = _separated(out, place, pairs == 0)
            out[place] = OPEN
            place = _number(out, place + 1, codes[at + 1])
            place = _number(out, _separated(out, place, False), codes[at + 2])
            out[place] = CLOSE
            place += 1
            pairs += 1
            at += 3
        at += 1
        place = _closed(out, place, pairs)
    place = _closed(out, place, size)
    out[place] = CLOSE
    place = _separated(out, place + 1, False)
    out[place : place + 2] = OPEN
    place += 2
    for i in range(size):
        place = _number(out, _separated(out, place, i == 0), codes[at + i])
    place = _closed(out, place, size)
    out[place : place + 2] = COMMA, CLOSE
    out[place + 2] = CLOSE
    return place + 3


@_compiled
def _number(out: Bytes, place: int, value: int) -> int:
    """Write a number in decimal digits; return the place after it."""
    size, rest = 1, value // 10
    while rest:
        size += 1
        rest //= 10
    for digit in range(place + size - 1, place - 1, -1):
        out[digit] = ZERO + value % 10
        value //= 10
    return place + size


@_compiled
def _separated(out: Bytes, place: int, first: bool) -> int:
    """Write a comma and a space, unless this is the first of a list."""
    if not first:
        out[place], out[place + 1] = COMMA, SPACE
        place += 2
    return place


@_compiled
def _closed(out: Bytes, place: int, count: int) -> int:
    """Write the end of a tuple of so many, as Python shows it."""
    if count == 1:
        out[place] = COMMA
        place += 1
    out[place] = CLOSE
    return place + 1


@_compiled
def _row(work: Work, out: Bytes, place: int, cell: int) -> int:
    """Write the later cells that a vertex of the cell is related to, each with the relation, in order."""
    vertex, count, near, relations = work.label[cell], 0, work.first, work.second
    for k in range(work.degree[vertex]):
        v = work.near[vertex, k]
        there, found = work.position[work.cell_of[v]], work.relation[vertex, v]
        if there < work.position[cell]:
            continue
        j = count - 1
        while j >= 0 and (near[j] > there or (near[j] == there and relations[j] > found)):
            near[j + 1], relations[j + 1] = near[j], relations[j]
            j -= 1
        near[j + 1], relations[j + 1] = there, found
        count += 1
    out[place] = OPEN
    place += 1
    for k in range(count):
        place = _separated(out, place, k == 0)
        out[place] = OPEN
        place = _number(out, place + 1, near[k])
        place = _number(out, _separated(out, place, False), relations[k])
        out[place] = CLOSE
        place += 1
    last: int = _closed(out, place, count)
    return last


@_compiled
def _write(work: Work, n: int, colours: Numbers, out: Bytes, place: int) -> int:
    """Write the colours of the cells and the outline: their sizes, and by cell what it is related to."""
    cells = 0
    for i in range(n):
        if work.length[i]:
            work.position[i] = cells
            cells += 1
    out[place] = BEGIN
    place += 1
    for i in range(n):
        if work.length[i]:
            place = _number(out, _separated(out, place, i == 0), colours[work.label[i]])
    out[place] = END
    place = _separated(out, place + 1, False)
    out[place : place + 3] = OPEN  # of the certificate, the outline and the sizes
    place += 3
    for i in range(n):
        if work.length[i]:
            place = _number(out, _separated(out, place, i == 0), work.length[i])
    place = _separated(out, _closed(out, place, cells), False)
    out[place] = OPEN
    place += 1
    for i in range(n):
        if work.length[i]:
            place = _row(work, out, _separated(out, place, i == 0), i)
    last: int = _closed(out, place, cells)
    out[last] = CLOSE
    after: int = _separated(out, last + 1, False)
    return after


@_compiled
def certificates(
    colours: Numbers, vertices_from: Numbers, pairs: Numbers, pairs_from: Numbers, out: Bytes,
    ends: Numbers, states: Numbers, labels: Numbers, starts: Numbers,
) -> None:  # fmt: skip
    """Write the certificates of graphs, or what is known of them.

    The vertices of graph ``g`` are ``vertices_from[g]`` to ``vertices_from[g + 1]``, numbered from 0 in its
    ``pairs`` (see ``_relate``). ``out`` gets colours, outline and components as Python shows them, up to
    ``ends[g + 1]``.
    ``labels`` gets the vertices cell by cell, ``starts`` for each place the first place of its cell.
    """
    most, codes = 1, 1
    for graph in range(len(states)):
        n = vertices_from[graph + 1] - vertices_from[graph]
        most = max(most, n)
        codes = max(codes, PER_VERTEX * n + PER_PAIR * (pairs_from[graph + 1] - pairs_from[graph]))
    square, line = (most, most), most
    work = Work(
        np.zeros(square, np.int64), np.zeros(square, np.int64), np.zeros(square, np.int64),
        np.zeros(line, np.int64), np.zeros(line, np.int64), np.zeros(line, np.int64),
        np.zeros(line, np.int64), np.zeros(line, np.int64), np.zeros(line, np.int64),
        np.zeros(line, np.int64), np.zeros(line, np.int64), np.zeros(line, np.int64),
        np.zeros(line, np.int64), np.zeros(square, np.int64), np.zeros(line, np.int64),
        np.zeros(codes, np.int64), np.zeros(line + 1, np.int64),
    )  # fmt: skip
    place = 0
    for graph in range(len(states)):
        base, end = vertices_from[graph], vertices_from[graph + 1]
        n, own = end - base, colours[base:end]
        count = pairs_from[graph + 1] - pairs_from[graph]
        _relate(work, n, pairs[pairs_from[graph] : pairs_from[graph + 1]])
        states[graph] = TOO_WIDE
        if _weigh(work, n):
            _refine(work, n, _colour(work, n, own))
            for i in range(n):
                labels[base + i], starts[base + i] = work.label[i], work.cell_of[work.label[i]]
            components = _take_apart(work, n, PER_VERTEX * n + PER_PAIR * count) if _except(work, n) else 0
            states[graph] = REST
            if components >= 0:
                states[graph] = DONE
                place = _write(work, n, own, out, place)
                place = _write_components(work, components, out, place)
        ends[graph + 1] = place
