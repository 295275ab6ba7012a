"""The compiled loops behind ``certificates``: refinement as in ``refinement``, and what follows from it.

Compiled by numba when first called, and kept on disk beside this file. Each step is that of the plain route,
so that cells come in the same order; the order of vertices within a cell differs, and nothing depends on it.
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
    size of the cell that begins at a place, and 0 where none does.
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
def _says_all(work: Work, n: int) -> bool:
    """Return whether any two vertices of two cells, one of them of several vertices, are related alike."""
    for i in range(n):
        if work.length[i] < 2:
            continue
        vertex = work.label[i]
        for k in range(work.degree[vertex]):
            v, count = work.near[vertex, k], 0
            there = work.cell_of[v]
            for m in range(work.degree[vertex]):
                w = work.near[vertex, m]
                count += work.cell_of[w] == there and work.relation[vertex, w] == work.relation[vertex, v]
            if count != work.length[there] - (there == i):
                return False
    return True


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
    return last + 1


@_compiled
def certificates(
    colours: Numbers, vertices_from: Numbers, pairs: Numbers, pairs_from: Numbers, out: Bytes,
    ends: Numbers, states: Numbers, labels: Numbers, starts: Numbers,
) -> None:  # fmt: skip
    """Write the certificates of graphs, or what is known of them.

    The vertices of graph ``g`` are ``vertices_from[g]`` to ``vertices_from[g + 1]``, numbered from 0 in its
    ``pairs`` (see ``_relate``). ``out`` gets colours and outline as Python shows them, up to ``ends[g + 1]``.
    ``labels`` gets the vertices cell by cell, ``starts`` for each place the first place of its cell.
    """
    most = 1
    for graph in range(len(states)):
        most = max(most, vertices_from[graph + 1] - vertices_from[graph])
    square, line = (most, most), most
    work = Work(
        np.zeros(square, np.int64), np.zeros(square, np.int64), np.zeros(square, np.int64),
        np.zeros(line, np.int64), np.zeros(line, np.int64), np.zeros(line, np.int64),
        np.zeros(line, np.int64), np.zeros(line, np.int64), np.zeros(line, np.int64),
        np.zeros(line, np.int64), np.zeros(line, np.int64), np.zeros(line, np.int64),
        np.zeros(line, np.int64),
    )  # fmt: skip
    place = 0
    for graph in range(len(states)):
        base, end = vertices_from[graph], vertices_from[graph + 1]
        n, own = end - base, colours[base:end]
        _relate(work, n, pairs[pairs_from[graph] : pairs_from[graph + 1]])
        states[graph] = TOO_WIDE
        if _weigh(work, n):
            _refine(work, n, _colour(work, n, own))
            for i in range(n):
                labels[base + i], starts[base + i] = work.label[i], work.cell_of[work.label[i]]
            states[graph] = REST
            if _says_all(work, n):
                states[graph] = DONE
                place = _write(work, n, own, out, place)
        ends[graph + 1] = place
