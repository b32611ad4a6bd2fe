"""Archives whose bytes depend on their files only: in the order of the names, of one time and one owner."""

import gzip
import io
import lzma
import tarfile
import zipfile
from typing import Iterable, List, NamedTuple, Set


class Entry(NamedTuple):
    """A file in an archive."""

    name: str
    data: bytes
    is_program: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.is_program else 0o644


def in_order(entries: Iterable[Entry]) -> List[Entry]:
    ordered = sorted(entries)
    names = [entry.name for entry in ordered]
    assert len(names) == len(set(names)), f"a name is there twice: {names}"
    return ordered


def tar(entries: Iterable[Entry], time: int, with_folders: bool = False) -> bytes:
    out = io.BytesIO()
    made: Set[str] = set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:

        def member(name: str, mode: int) -> tarfile.TarInfo:
            info = tarfile.TarInfo(name)
            info.mode, info.mtime, info.uname, info.gname = mode, time, "root", "root"
            return info

        for entry in in_order(entries):
            parts = entry.name.split("/")[:-1]
            for folder in ("/".join(parts[: n + 1]) for n in range(len(parts))):
                if with_folders and folder not in made:
                    made.add(folder)
                    info = member(folder, 0o755)
                    info.type = tarfile.DIRTYPE
                    archive.addfile(info)
            info = member(entry.name, entry.mode)
            info.size = len(entry.data)
            archive.addfile(info, io.BytesIO(entry.data))
    return out.getvalue()


def tar_gz(entries: Iterable[Entry], time: int) -> bytes:
    out = io.BytesIO()
    # Without a name and a time of its own in the header.
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=9, mtime=0) as packed:
        packed.write(tar(entries, time))
    return out.getvalue()


def tar_xz(entries: Iterable[Entry], time: int) -> bytes:
    return lzma.compress(tar(entries, time, with_folders=True), preset=6)


def zip_(entries: Iterable[Entry]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in in_order(entries):
            # The earliest time that the format knows: it has no time zone, so no other is the same everywhere.
            info = zipfile.ZipInfo(entry.name, (1980, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.data, compresslevel=9)
    return out.getvalue()


def ar(entries: Iterable[Entry], time: int) -> bytes:
    """In the order that is given: that of a Debian package is a part of its format."""
    out = [b"!<arch>\n"]
    for entry in entries:
        header = f"{entry.name:<16}{time:<12}{0:<6}{0:<6}{0o100000 | entry.mode:<8o}{len(entry.data):<10}`\n"
        out += [header.encode("ascii"), entry.data, b"\n" * (len(entry.data) % 2)]
    return b"".join(out)
