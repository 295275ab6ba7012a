"""Long texts that are neither domain nor problem, to make careless readers hang or crash."""

# What is repeated, after a beginning and before an end.
REPEATED = (
    ("", "(", ""),
    ("", ")", ""),
    ("", "()", ""),
    ("", "(())", ""),
    ("", "(define (problem ", ""),
    ("", "(define (domain x) ", ""),
    ("", "(:action ", ""),
    ("", "(:effect ", ""),
    ("(define (problem x)", "()", ""),
    ("(define (problem x)", "(", ""),
    ("(define (problem x) ", ";", ""),
    ("", "\n;", "(define (problem x)"),
    ("", ";(define (problem x) ", ""),
    ("", "define" + " " * 20, ""),
    ("", "(define" + " " * 9, ""),
    ("", "```(define (problem x)", ""),
    ("", "```( ", ""),
    ("", "`", ""),
    ("", "&#40;", ""),
    ("&#40;define (problem x)", "&#40;", ""),
    ("", "&", ""),
    ("", "<br>", ""),
    ("", "\\n", ""),
    ("", "</think>", ""),
    ("", "<think>", ""),
    ("", "é", ""),
    ("", "\0", ""),
    ("", " ", ""),
    ("", ";", ""),
    ("", "a", ""),
    ("(define (problem ", "a", ""),
    ("(define (domain x) ", "x ", ")"),
    ("(define (problem x) (:init", " (a", ""),
    ("(define (problem x)", "\n```\n(:init", ""),
    ("", "#(define (problem x)\n", ""),
    ("1 (define (problem x)\n", "2 (a\n", ""),
    ("(define (problem x) (:init)\n", "- (", ""),
    ("(define (problem x) (:init ", "(= (total-cost) 0)", ""),
    ("(define (problem x) (:domain blocksworld) (:objects ", "- ", ") (:init) (:goal (and)))"),
    ("(define (problem x) (:domain blocksworld) (:objects ", "a - t ", ") (:init) (:goal (and)))"),
    ("(define (domain d)", "(:action a)", ")"),
    ("(define (domain x) ", "(:action foo :effect (p))", ")"),
)
# What is opened as often as it is closed, with something within.
NESTED = (
    ("", "(", "", ")", ""),
    ("(define (problem x) (:domain blocksworld) (:init) (:goal ", "(", "", ")", "))"),
    ("(define (problem x) (:domain blocksworld) (:init) (:goal ", "(and ", "", ")", "))"),
    ("(define (problem x) (:domain blocksworld) (:init ", "(not ", "", ")", "))"),
    ("(define (problem x) (:domain ", "(", "", ")", ") (:init) (:goal (and)))"),
    ("(define (problem x) (:domain d) (:init (p)) (:goal (p)) (:metric minimize", "(", "", ")", "))"),
    ("(define (domain d) (:predicates (p)) (:action a :effect ", "(not ", "", ")", "))"),
    ("(define (domain d) (:predicates (p)) (:action a ", "(", "", ")", " ()))"),
    ("(define (domain d) (:functions ", "(", "", ")", "))"),
    ("(define (domain x) (:action a :precondition ", "(not ", "", ")", "))"),
    ("(define (domain x) (:action a :precondition ", "(and ", "(p)", ")", "))"),
)
# What is repeated with a number and the next one.
NUMBERED = (
    ("(define (domain x) (:types ", "t{} - t{} ", "))"),
    ("(define (domain d) (:constants ", "c{} c{} ", "))"),
    ("(define (domain x) (:action a :parameters (", "?x{} ?y{} ", ") :effect (p ?x1)))"),
    ("", "{} (define\n{} ", ""),
)


def nonsense(size):
    """Texts of about ``size`` characters, in the same order whatever the size."""
    texts = [start + piece * (size // len(piece)) + end for start, piece, end in REPEATED]
    for start, opening, inner, closing, end in NESTED:
        depth = size // (len(opening) + len(closing))
        texts.append(start + opening * depth + inner + closing * depth + end)
    for start, piece, end in NUMBERED:
        numbers = range(size // (len(piece) + 6))
        texts.append(start + "".join(piece.format(n, n + 1) for n in numbers) + end)
    circle = " ".join(f"t{n} - t{(n + 1) % 900}" for n in range(900))
    return [*texts, f"(define (domain x) (:types {circle}))"]


NAMES = [f"{text[:60]!r}" for text in nonsense(99)]
