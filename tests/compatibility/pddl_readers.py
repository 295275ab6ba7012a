"""Read pairs of a domain and a problem with a reader of another project.

A test runs this in an environment of its own: python pddl_readers.py READER DOMAIN PROBLEM ...
"""

import sys


def pymimir(domain, problem):
    from pymimir import Domain, Problem

    Problem(Domain(domain), problem)


def pddl(domain, problem):
    from pddl import parse_domain, parse_problem

    parse_domain(domain)
    parse_problem(problem)


def unified_planning(domain, problem):
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    get_environment().error_used_name = False  # floortile has an action and a predicate "up"
    PDDLReader().parse_problem(domain, problem)


def tarski(domain, problem):
    from tarski.io import PDDLReader

    reader = PDDLReader(raise_on_error=True)
    reader.parse_domain(domain)
    reader.parse_instance(problem)


READERS = {read.__name__: read for read in (pymimir, pddl, unified_planning, tarski)}

if __name__ == "__main__":
    reader, *files = sys.argv[1:]
    for pair in zip(files[::2], files[1::2], strict=True):
        READERS[reader](*pair)
        print(*pair, flush=True)
