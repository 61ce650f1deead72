"""Small changes of a module, each of which some test should notice.

One operator, number, condition or statement is changed at a time, in the syntax tree.
Annotations, docstrings and other strings stay, since no result depends on them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Mutation", "mutated", "mutations"]

OPERATORS: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.LShift: [ast.RShift],
    ast.RShift: [ast.LShift],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.BitXor: [ast.BitOr],
    ast.Break: [ast.Continue],
    ast.Continue: [ast.Break],
}
NAMES = {}
for one, other in [
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("floor", "ceil"),
    ("any", "all"),
    ("zeros", "ones"),
    ("append", "extend"),
    ("startswith", "endswith"),
]:
    NAMES |= {one: other, other: one}
# Where only types and names are said, and no result is made.
SKIPPED = {"annotation", "returns", "decorator_list", "type_params", "bases"}


@dataclass(frozen=True)
class Mutation:
    """A change of the node that is `index`-th in the tree, and what it looks like."""

    index: int
    choice: int
    line: int
    change: str
    # Lines of the statement; () if it runs when the module is imported.
    lines: tuple[int, ...]


def mutations(source: str) -> list[Mutation]:
    """Return all changes of a module, in the order of its text."""
    found = []
    for index, (node, statement, in_function) in enumerate(_nodes(ast.parse(source))):
        for choice, new in enumerate(_changes(node)):
            change = f"{_short(node)} -> {_short(new)}"
            lines = _lines(statement) if in_function else ()
            found.append(Mutation(index, choice, node.lineno, change, lines))
    return found


def mutated(source: str, mutation: Mutation | None) -> ast.Module:
    """Return the syntax tree of a module with one change, or with none."""
    tree = ast.parse(source)
    if mutation is None:
        return tree
    for index, (node, _, _) in enumerate(_nodes(tree)):
        if index == mutation.index:
            new = ast.copy_location(_changes(node)[mutation.choice], node)
            tree = _Replacement(node, new).visit(tree)
            return ast.fix_missing_locations(tree)
    message = f"the module has no node {mutation.index}"
    raise ValueError(message)


class _Replacement(ast.NodeTransformer):
    def __init__(self, node: ast.AST, new: ast.AST) -> None:
        self.node, self.new = node, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.node else self.generic_visit(node)


def _nodes(
    node: ast.AST, statement: ast.AST | None = None, *, in_function: bool = False
) -> Iterator[tuple[ast.AST, ast.AST | None, bool]]:
    """Yield expressions and statements with the statement that they are part of."""
    for field, value in ast.iter_fields(node):
        if field in SKIPPED:
            continue
        # What a function does is run by tests; defaults of its parameters are not.
        inner = in_function or (field == "body" and isinstance(node, ast.FunctionDef))
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.expr | ast.stmt):
                if isinstance(child, ast.AST):
                    yield from _nodes(child, statement, in_function=inner)
                continue
            if _says_no_more_than_a_name(child):
                continue
            part_of = child if isinstance(child, ast.stmt) else statement
            yield child, part_of, inner
            yield from _nodes(child, part_of, in_function=inner)


def _says_no_more_than_a_name(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            is_type = isinstance(node.value, ast.Subscript | ast.BinOp) and (
                name[0].isupper() and not name.isupper()
            )
            return name.startswith("__") or is_type
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return isinstance(node, ast.JoinedStr)


def _changes(node: ast.AST) -> list[ast.AST]:  # noqa: PLR0911, PLR0912
    """Return what a node may be changed to."""
    match node:
        case ast.Compare():
            return [
                _with(node, ops=[*node.ops[:i], new(), *node.ops[i + 1 :]])
                for i, op in enumerate(node.ops)
                for new in OPERATORS[type(op)]
            ]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OPERATORS:
            return [_with(node, op=new()) for new in OPERATORS[type(op)]]
        case ast.AugAssign(op=op):
            others = OPERATORS.get(type(op), [])
            return [*(_with(node, op=new()) for new in others), ast.Pass()]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Constant(value=bool()):
            return [ast.Constant(not node.value)]
        case ast.Constant(value=int() | float()):
            return [ast.Constant(node.value + 1), ast.Constant(node.value - 1)]
        case ast.Name(id=name) if name in NAMES:
            return [_with(node, id=NAMES[name])]
        case ast.Attribute(attr=name) if name in NAMES:
            return [_with(node, attr=NAMES[name])]
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if isinstance(test, ast.Name | ast.Attribute | ast.Call):
                return [_with(node, test=ast.UnaryOp(ast.Not(), test))]
        case ast.Break() | ast.Continue():
            return [new() for new in OPERATORS[type(node)]]
        case ast.Raise() | ast.Delete() | ast.Expr(value=ast.Call()):
            return [ast.Pass()]
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            return [ast.Pass()]
    return []


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _lines(statement: ast.AST | None) -> tuple[int, ...]:
    """Return the lines of a statement, without those of the statements in it."""
    assert isinstance(statement, ast.stmt)
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if body:
        last = max(statement.lineno, body[0].lineno - 1)
    return tuple(range(statement.lineno, last + 1))


def _short(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0][:80]
