"""The package of Debian: the programs in /usr/bin. It depends on nothing, since they are static."""

import hashlib
from typing import Dict

import source
from archives import Entry, ar, tar_xz
from targets import Target

CONTROL = """\
Package: hookgate
Version: {version}
Architecture: {architecture}
Maintainer: The authors of hookgate <authors@hookgate.invalid>
Installed-Size: {size}
Suggests: git
Section: utils
Priority: optional
Homepage: {repository}
Description: hook engine for AI-agent runtimes
 Every step of an agent (a prompt, a tool call, a request to the model) is
 judged by a table of hooks before it happens. A configured guard is an
 enforced guard, or you are told.
"""


def name(target: Target) -> str:
    return f"hookgate_{source.version()}_{target.debian}.deb"


def make(target: Target, programs: Dict[str, bytes], sbom: bytes) -> bytes:
    docs = "usr/share/doc/hookgate/"
    licences = b"hookgate is licensed under MIT or Apache-2.0, as you like.\n\n" + b"\n".join(
        source.read(name) for name in reversed(source.LICENCES)
    )
    files = [Entry(f"usr/bin/{name}", data, True) for name, data in programs.items()]
    files += [Entry(docs + "copyright", licences), Entry(docs + "hookgate.cdx.json", sbom)]
    control = CONTROL.format(
        version=source.version(),
        architecture=target.debian,
        size=sum(len(file.data) for file in files) // 1024 + 1,
        repository=source.REPOSITORY,
    )
    sums = "".join(f"{hashlib.md5(file.data).hexdigest()}  {file.name}\n" for file in sorted(files))
    about = [Entry("./control", control.encode()), Entry("./md5sums", sums.encode())]
    time = source.time()
    return ar(
        [
            Entry("debian-binary", b"2.0\n"),
            Entry("control.tar.xz", tar_xz(about, time)),
            Entry("data.tar.xz", tar_xz([file._replace(name=f"./{file.name}") for file in files], time)),
        ],
        time,
    )
