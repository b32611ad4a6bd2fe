"""Denies `rm` outside of the project, and `rm -r` of anything but what a build can make again.

The envelope comes in on stdin; what is printed is the verdict. An empty output means no opinion.
"""
import json
import os
import shlex
import sys

# Folders inside the project whose contents a build makes again.
BUILT = {"_build", "build", "dist", "node_modules", "target", "__pycache__", ".pytest_cache"}


def commands(line):
    """The words of each simple command of a shell line, without its redirections."""
    line = line.replace("\\\n", " ").replace("\n", ";")
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words, redirected = [], False
    for word in lexer:
        if not set(word) <= set(";&|()<>"):
            if not redirected:
                words.append(word)
            redirected = False
        elif "<" in word or ">" in word:
            if words and words[-1].isdigit():
                words.pop()
            redirected = True
        else:
            yield words
            words, redirected = [], False
    yield words


def far_deletes(line, root):
    """What `rm` would delete and should not."""
    folder = root
    for words in commands(line):
        if words[:1] == ["cd"] and len(words) == 2:
            folder = os.path.join(folder, os.path.expanduser(words[1]))
        names = [os.path.basename(word) for word in words]
        if "rm" not in names:
            continue
        arguments = words[names.index("rm") + 1 :]
        options = [word for word in arguments if word.startswith("-")]
        short = "".join(option for option in options if not option.startswith("--"))
        recursive = "--recursive" in options or "r" in short.lower()
        for target in arguments:
            if target in options:
                continue
            path = os.path.normpath(os.path.join(folder, os.path.expanduser(target)))
            below = os.path.relpath(path, root).split("/")
            inside = below[0] != ".." and (not recursive or BUILT & set(below))
            # The value of a variable is not known here.
            if "$" in target or "`" in target or not (inside or path.startswith("/tmp/")):
                yield target


def say(decision, reason):
    print(json.dumps({"decision": decision, "reason": reason, "reason_code": "safety_violation"}))


envelope = json.load(sys.stdin)
try:
    targets = list(far_deletes(envelope["tool_input"]["command"], envelope.get("cwd", "/")))
except ValueError as error:
    say("ask", f"the command has an `rm` and cannot be read: {error}")
else:
    if targets:
        say("deny", f"`rm` outside of the project or its build folders: {', '.join(targets)}")
    else:
        print("{}")
