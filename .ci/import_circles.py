#!/usr/bin/env python3
"""Finds circles of imports between the modules of each crate.

The modules of one folder are compared with each other, at every depth: an import that leads from
anything below one module to anything below its neighbour is an arrow between the two. A module and
the file of its parent are one room, so imports between them are no arrow. Code for tests is left out.

Usage: import_circles.py [--arrows] CRATE_SRC...    exit status 1 if there is a circle
       import_circles.py --self-test               tries itself out on crates with and without one
"""

import re
import sys
import tempfile
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|b?r(?P<hash>\#*)".*?"(?P=hash)|b?"(?:\\.|[^"\\])*"
    |b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'|'[A-Za-z_]\w*|\s+)
    |(?P<word>[A-Za-z_]\w*)|(?P<sign>::|.)""",
    re.S | re.X,
)


def tokens(text):
    return [m.group() for m in TOKEN.finditer(text) if m.lastgroup not in ("skip", "hash")]


def without_tests(found):
    """Drops items behind `#[cfg(test)]`: up to the `;`, or over a whole block."""
    kept, at = [], 0
    mark = ["#", "[", "cfg", "(", "test", ")", "]"]
    while at < len(found):
        if found[at : at + 7] != mark:
            kept.append(found[at])
            at += 1
            continue
        at += 7
        depth = 0
        while at < len(found):
            depth += found[at] in "{([" 
            depth -= found[at] in "})]"
            at += 1
            if depth == 0 and found[at - 1] in (";", "}"):
                break
    return kept


def paths(found):
    """All paths of more than one part, and those in `use`, groups spelled out; `use` also gives names."""
    plain, imported = [], {}
    at = 0

    def tree(at, prefix):
        part = list(prefix)
        while at < len(found):
            token = found[at]
            if token == "{":
                at += 1
                while at < len(found) and found[at] != "}":
                    at = tree(at, part)
                    at += found[at] == ","
                return at + 1
            if token in (",", "}", ";"):
                break
            if token == "as":
                imported[found[at + 1]] = part
                plain.append(part)
                return at + 2
            if token != "::":
                part = part + [token]
            at += 1
        if part:
            if part[-1] == "self":
                part = part[:-1]
            plain.append(part)
            imported[part[-1]] = part
        return at

    while at < len(found):
        # `use<'a>` says what an `impl Trait` captures.
        is_import = found[at] == "use" and found[at + 1 : at + 2] != ["<"]
        if is_import and (at == 0 or found[at - 1] != "."):
            at = tree(at + 1, [])
            continue
        if re.match(r"[A-Za-z_]", found[at]) and found[at + 1 : at + 2] == ["::"]:
            part = [found[at]]
            while found[at + 1 : at + 2] == ["::"] and at + 2 < len(found) and re.match(r"[A-Za-z_]", found[at + 2]):
                part.append(found[at + 2])
                at += 2
            if found[at - 1] != "." or len(part) > 1:
                plain.append(part)
        at += 1
    return plain, imported


class Crate:
    def __init__(self, root):
        self.files = {}
        for file in sorted(root.rglob("*.rs")):
            parts = list(file.relative_to(root).with_suffix("").parts)
            if parts[-1] in ("mod",):
                parts.pop()
            if parts in (["lib"], ["main"]):
                parts = []
            if "tests" in parts:
                continue
            found = without_tests(tokens(file.read_text()))
            self.files.setdefault(tuple(parts), []).append(paths(found))
        self.modules = set(self.files)

    def imports(self, module):
        merged = {}
        for _, imported in self.files.get(module, []):
            merged.update(imported)
        return merged

    def resolve(self, module, path, depth=0):
        """The module that a path of `module` leads to; None for another crate."""
        head, rest = path[0], path[1:]
        if head == "crate":
            at = ()
        elif head == "self":
            at = module
        elif head == "super":
            at = module[:-1]
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
        elif module + (head,) in self.modules:
            at = module + (head,)
        elif depth < 8 and head in self.imports(module) and self.imports(module)[head] != path:
            found = self.imports(module)[head]
            if found[0] == head:
                return None
            return self.resolve(module, found + rest, depth + 1)
        else:
            return None
        while rest and at + (rest[0],) in self.modules:
            at, rest = at + (rest[0],), rest[1:]
        if rest and depth < 8 and rest[0] in self.imports(at):
            found = self.imports(at)[rest[0]]
            deeper = self.resolve(at, found, depth + 1)
            if deeper is not None:
                return deeper
        return at

    def arrows(self):
        """For each folder: which of its modules lead to which, and by which imports."""
        found = {}
        for module, read in self.files.items():
            for plain, _ in read:
                for path in plain:
                    target = self.resolve(module, path)
                    if target is None:
                        continue
                    level = 0
                    while level < min(len(module), len(target)) and module[level] == target[level]:
                        level += 1
                    if level < min(len(module), len(target)):
                        pair = (module[level], target[level])
                        folder = found.setdefault(module[:level], {})
                        folder.setdefault(pair, set()).add("::".join(module) + " -> " + "::".join(path))
        return found


# Folders whose modules call each other since what they read is recursive, each with its reason. Circles
# in them are allowed; those inside of their own folders are not.
RECURSIVE = {
    ("crates/effects/src", ("shell",)): "a program of a command line starts programs, which may be wrappers again",
}


def circles(pairs):
    """The strongly connected groups of more than one module."""
    graph = {}
    for one, other in pairs:
        graph.setdefault(one, set()).add(other)
        graph.setdefault(other, set())
    reach = {}
    for start in graph:
        seen, todo = set(), [start]
        while todo:
            for other in graph[todo.pop()]:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        reach[start] = seen
    groups = {frozenset({b for b in reach[a] if a in reach[b]}) for a in graph if a in reach[a]}
    return sorted(sorted(group) for group in groups)


def self_test():
    """The control: circles are found behind groups, aliases, re-exports and at depth, and no other."""
    cases = [
        ({"lib": "mod a; mod b;", "a": "use crate::b::B;", "b": "use crate::a::{self, A as Other};"}, 1),
        ({"lib": "mod a; mod b; pub use b::B;", "a": "use crate::B;", "b": "fn f() { crate::a::g() }"}, 1),
        ({"lib": "mod a;", "a": "mod x; mod y;", "a/x": "use super::y::Y;", "a/y": "use super::x::X;"}, 1),
        ({"lib": "mod a; mod b;", "a": "mod x;", "a/x": "use crate::b::B;", "b": "use crate::a::A;"}, 1),
        ({"lib": "mod a; mod b;", "a": "use crate::b::B;", "b": "// use crate::a::A;"}, 0),
        ({"lib": "mod a; mod b;", "a": "use crate::b::B;", "b": "#[cfg(test)] mod t { use crate::a::A; }"}, 0),
        ({"lib": "mod a;", "a": "mod x; use x::X;", "a/x": "use super::A;"}, 0),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = Path(folder, name + ".rs")
                file.parent.mkdir(exist_ok=True)
                file.write_text(text)
            found = sum(len(circles(pairs)) for pairs in Crate(Path(folder)).arrows().values())
        if found != expected:
            sys.exit(f"self-test: {found} circles instead of {expected} in {files}")
    print(f"self-test: {len(cases)} crates as expected")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    arguments = [a for a in sys.argv[1:] if a != "--arrows"]
    bad = 0
    for root in map(Path, arguments):
        crate = Crate(root)
        if not crate.files:
            sys.exit(f"{root}: there is no Rust file")
        for folder, pairs in sorted(crate.arrows().items()):
            if "--arrows" in sys.argv:
                for (one, other), why in sorted(pairs.items()):
                    print(f"{root} {'::'.join(folder) or '(root)'}: {one} -> {other}: {'; '.join(sorted(why))}")
            for group in circles(pairs):
                if why := RECURSIVE.get((root.as_posix(), folder)):
                    print(f"{root}: allowed circle in {'::'.join(folder)}, since {why}: {', '.join(group)}")
                    continue
                bad += 1
                print(f"{root}: circle in {'::'.join(folder) or 'the root'}: {', '.join(group)}")
                for (one, other), why in sorted(pairs.items()):
                    if one in group and other in group:
                        print(f"    {one} -> {other}: {'; '.join(sorted(why)[:3])}")
    print(f"{len(arguments)} crates, {bad} circles of imports")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
