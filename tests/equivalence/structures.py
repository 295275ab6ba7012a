"""Small coloured graphs for the tests, and isomorphism by brute force and by rustworkx."""

from itertools import combinations

import rustworkx

from orrery.equivalence.graph import Graph


def graph(colours, arcs):
    """``arcs``: (u, v, label) directed; labels are small positive integers."""
    size = len(colours)
    pairs = [{} for _ in range(size)]
    for u, v, label in arcs:
        pairs[u][v] = pairs[u].get(v, 0) | 1 << 2 * label
        pairs[v][u] = pairs[v].get(u, 0) | 2 << 2 * label
    masks = sorted({mask for row in pairs for mask in row.values()})
    rank = {mask: i for i, mask in enumerate(masks, 1)}
    adjacency = [{v: rank[mask] for v, mask in row.items()} for row in pairs]
    shades = sorted(set(colours))
    return Graph(
        tuple(map(str, range(size))), [shades.index(c) for c in colours], adjacency, repr((shades, masks))
    )


def undirected(size, edges):
    return graph([0] * size, [arc for u, v in edges for arc in ((u, v, 1), (v, u, 1))])


def renamed(original, order):
    """The graph with vertex ``order[i]`` in place ``i``, rows written in another order as well."""
    place = {vertex: i for i, vertex in enumerate(order)}
    rows = [dict(reversed([(place[v], r) for v, r in original.adjacency[u].items()])) for u in order]
    return Graph(
        tuple(original.vertices[u] for u in order),
        [original.colours[u] for u in order],
        rows,
        original.header,
    )


def is_isomorphism(first, second, image):
    """Whether ``image[u]`` maps colours to colours and relations to relations."""
    return (
        first.header == second.header
        and sorted(image) == list(range(len(second.colours)))
        and all(first.colours[u] == second.colours[image[u]] for u in range(len(image)))
        and all(
            first.adjacency[u].get(v) == second.adjacency[image[u]].get(image[v])
            for u in range(len(image))
            for v in range(len(image))
            if u != v
        )
    )


def isomorphic_by_rustworkx(first, second):
    if first.header != second.header:
        return False
    digraph, two = _digraph(first), _digraph(second)
    return rustworkx.is_isomorphic(digraph, two, lambda a, b: a == b, lambda a, b: a == b, id_order=False)


def _digraph(original):
    digraph = rustworkx.PyDiGraph()
    digraph.add_nodes_from(original.colours)
    digraph.add_edges_from([(u, v, r) for u, row in enumerate(original.adjacency) for v, r in row.items()])
    return digraph


def cycle(size, start=0):
    return [(start + i, start + (i + 1) % size) for i in range(size)]


def petersen():
    pairs = list(combinations(range(5), 2))
    return [(i, j) for i, j in combinations(range(10), 2) if not set(pairs[i]) & set(pairs[j])]


def rook():
    """4 x 4 rook's graph: strongly regular (16, 6, 2, 2)."""
    return [(u, v) for u, v in combinations(range(16), 2) if u // 4 == v // 4 or u % 4 == v % 4]


def shrikhande():
    """The Shrikhande graph: the same parameters, not isomorphic to the rook's graph."""
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    return [
        (u, v) for u, v in combinations(range(16), 2) if ((v // 4 - u // 4) % 4, (v % 4 - u % 4) % 4) in steps
    ]


def prism(size):
    return cycle(size) + cycle(size, size) + [(i, size + i) for i in range(size)]


def moebius(size):
    return cycle(2 * size) + [(i, size + i) for i in range(size)]


def circulant(sides, connection):
    """A graph on Z_a x Z_b whose relation depends on the difference only; ``connection`` gives it."""
    points = [(i, j) for i in range(sides[0]) for j in range(sides[1])]
    arcs = []
    for u, (i, j) in enumerate(points):
        for v, (k, m) in enumerate(points):
            label = connection[(k - i) % sides[0], (m - j) % sides[1]] if u != v else 0
            if label:
                arcs.append((u, v, label))
    return graph([0] * len(points), arcs)


def furer(base, twisted):
    """The Cai-Fürer-Immerman graph of a base graph given by its edges; ``twisted`` are edge numbers."""
    ends = sorted({v for edge in base for v in edge})
    index, edges = {}, []

    def vertex(name):
        return index.setdefault(name, len(index))

    for v in ends:
        around = [edge for edge in base if v in edge]
        for size in range(0, len(around) + 1, 2):
            for chosen in combinations(around, size):
                for edge in around:
                    edges.append((vertex((v, chosen)), vertex((v, edge, edge in chosen))))
    for number, edge in enumerate(base):
        for bit in (False, True):
            twisted_bit = bit != (number in twisted)
            edges.append((vertex((edge[0], edge, bit)), vertex((edge[1], edge, twisted_bit))))
    return len(index), edges
