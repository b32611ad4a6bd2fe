"""Promises of the packages: what is in them, and that it is the same each time. With a script in place of the programs, so
that it takes seconds: python3 -m unittest discover -s packaging. What is installed and run is tried by `packaging/check`."""

import base64
import csv
import email
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import unittest
import zipfile

import debian
import npm
import source
import static
import targets
import wheel

BUILD = pathlib.Path(__file__).with_name("build")
TARGET = targets.RELEASED[0]
PROGRAM = b"#!/bin/sh\nexit 2\n"


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.out = cls.built("one", TARGET)

    @classmethod
    def built(cls, name, target, **environment):
        programs, out = cls.folder / name / "programs", cls.folder / name / "out"
        programs.mkdir(parents=True)
        for program in target.programs:
            (programs / program).write_bytes(PROGRAM)
        command = [sys.executable, BUILD, "--target", target.triple, "--programs", programs, "--out", out]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
        return out

    def tar(self, name):
        return tarfile.open(self.out / name)

    def test_two_builds_give_the_same_bytes(self):
        untracked = source.ROOT / "clients" / "python" / "hookgate" / "untracked.py"
        mask = os.umask(0o077)
        try:
            untracked.write_text("")
            time.sleep(1.1)
            other = self.built("another", TARGET, TZ="Asia/Tokyo", LC_ALL="C")
        finally:
            os.umask(mask)
            untracked.unlink()
        sums = (self.out / "SHA256SUMS").read_text()
        self.assertEqual(sums, (other / "SHA256SUMS").read_text())
        listed = [line.split("  ")[1] for line in sums.splitlines()]
        self.assertEqual(sorted([*listed, "SHA256SUMS"]), sorted(path.name for path in self.out.iterdir()))
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.out, check=True)

    def test_another_commit_has_another_time_and_nothing_else(self):
        other = self.built("later", TARGET, SOURCE_DATE_EPOCH=str(source.time() + 60))
        with self.tar(static.name(TARGET)) as one, tarfile.open(other / static.name(TARGET)) as later:
            self.assertEqual(one.getnames(), later.getnames())
            self.assertEqual({member.mtime for member in one}, {source.time()})
            self.assertEqual({member.mtime for member in later}, {source.time() + 60})

    def test_the_wheel_notes_each_of_its_files_and_has_the_programs_as_they_are(self):
        with zipfile.ZipFile(self.out / wheel.name(TARGET)) as archive:
            record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
            self.assertEqual(sorted(rows), sorted(archive.namelist()))
            for name, (digest, size) in rows.items():
                if name != record:
                    data = archive.read(name)
                    real = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), (f"sha256={real}", str(len(data))), name)
            for program in TARGET.programs:
                name = f"hookgate-{source.version()}.data/scripts/{program}"
                self.assertEqual(archive.read(name), PROGRAM)
                self.assertEqual(archive.getinfo(name).external_attr >> 16, 0o100755)
            self.assertIn("hookgate/_program.py", rows)
            self.assertIn("hookgate/py.typed", rows)
            about = email.message_from_bytes(archive.read(record.replace("RECORD", "METADATA")))
            said = archive.read(record.replace("RECORD", "WHEEL")).decode()
        project = tomllib.loads(source.read("clients/python/pyproject.toml").decode())["project"]
        self.assertEqual((about["Name"], about["Version"]), (project["name"], project["version"]))
        self.assertEqual(about["Requires-Python"], project["requires-python"])
        self.assertEqual(about.get_all("Provides-Extra", []), list(project.get("optional-dependencies", {})))
        self.assertTrue(all("extra ==" in need for need in about.get_all("Requires-Dist", [])))
        self.assertIn("import hookgate", about.get_payload())
        tags = wheel.name(TARGET).removesuffix(".whl").split("-")[-1].split(".")
        self.assertEqual(tags, sorted(tags))
        for tag in tags:
            self.assertIn(f"Tag: py3-none-{tag}\n", said)
        self.assertLessEqual({"manylinux_2_17_x86_64", "musllinux_1_1_x86_64"}, set(tags))

    def test_npm_runs_nothing_and_asks_for_the_programs_of_its_own_version(self):
        with self.tar(npm.client_name()) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
            names = archive.getnames()
            self.assertEqual(archive.getmember("package/bin/hookgate.js").mode, 0o755)
            for entry in manifest["exports"].values():
                for path in entry.values():
                    self.assertIn("package/" + path.removeprefix("./"), names)
        self.assertNotIn("scripts", manifest)
        self.assertNotIn("dependencies", manifest)
        wanted = {target.npm_name: source.version() for target in targets.RELEASED}
        self.assertEqual(manifest["optionalDependencies"], wanted)
        self.assertIn("package/lib/program.js", names)
        self.assertFalse([name for name in names if "/test" in name])
        with self.tar(npm.platform_name(TARGET)) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
            for program in TARGET.programs:
                self.assertEqual(archive.getmember(f"package/bin/{program}").mode, 0o755)
        self.assertEqual((manifest["name"], manifest["version"]), (TARGET.npm_name, source.version()))
        self.assertEqual((manifest["os"], manifest["cpu"]), (["linux"], ["x64"]))
        for key in ("scripts", "dependencies", "bin"):
            self.assertNotIn(key, manifest)

    def test_dpkg_reads_the_package_of_debian(self):
        package = self.out / debian.name(TARGET)
        said = subprocess.run(["dpkg-deb", "--field", package], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertIn(f"Version: {source.version()}\nArchitecture: amd64\n", said)
        self.assertNotIn("Depends:", said)
        to = self.folder / "unpacked"
        subprocess.run(["dpkg-deb", "--raw-extract", package, to], check=True)
        subprocess.run(["md5sum", "--check", "--quiet", "--strict", "DEBIAN/md5sums"], cwd=to, check=True)
        for program in TARGET.programs:
            self.assertEqual((to / "usr/bin" / program).read_bytes(), PROGRAM)
            self.assertEqual((to / "usr/bin" / program).stat().st_mode & 0o7777, 0o755)

    def test_cargo_binstall_finds_the_programs_by_what_the_manifest_says(self):
        manifest = tomllib.loads(source.read("cli/Cargo.toml").decode())
        said = manifest["package"]["metadata"]["binstall"]
        values = {"version": source.version(), "target": TARGET.triple, "repo": source.REPOSITORY, "binary-ext": ""}

        def filled(text, **more):
            for name, value in {**values, **more}.items():
                text = text.replace("{ %s }" % name, value)
            self.assertNotIn("{", text)
            return text

        self.assertEqual(said["pkg-fmt"], "tgz")
        self.assertEqual(filled(said["pkg-url"]).rsplit("/", 1)[1], static.name(TARGET))
        with self.tar(static.name(TARGET)) as archive:
            for binary in manifest["bin"]:
                member = archive.getmember(filled(said["bin-dir"], bin=binary["name"]))
                self.assertEqual(member.mode, 0o755)

    def test_the_list_of_parts_has_what_is_in_the_program_and_only_that(self):
        bom = json.loads((self.out / f"{static.folder(TARGET)}.cdx.json").read_bytes())
        own = bom["metadata"]["component"]
        refs = [own["bom-ref"], *(component["bom-ref"] for component in bom["components"])]
        self.assertEqual(len(refs), len(set(refs)))
        self.assertEqual(sorted(refs), sorted(edge["ref"] for edge in bom["dependencies"]))
        edges = {edge["ref"]: edge["dependsOn"] for edge in bom["dependencies"]}
        reached, waiting = set(), [own["bom-ref"]]
        while waiting:
            ref = waiting.pop()
            if ref not in reached:
                reached.add(ref)
                waiting += edges[ref]
        self.assertEqual(reached, set(refs))
        names = {component["name"] for component in bom["components"]}
        self.assertLessEqual({"hookgate", "ring", "rusqlite", "sqlite", "tokio", "rust"}, names)
        # For tests, for the build, for other systems, and macros.
        self.assertFalse(names & {"proptest", "insta", "cc", "windows-sys", "serde_derive", "hookgate-cli"})
        for component in bom["components"]:
            is_ours = component["name"].startswith("hookgate")
            is_crate = component["purl"].startswith("pkg:cargo/")
            self.assertEqual("hashes" in component, is_crate and not is_ours, component)
            self.assertTrue(component["licenses"][0]["expression"], component)
        digest = hashlib.sha256(PROGRAM).hexdigest()
        self.assertEqual([part["hashes"][0]["content"] for part in own["components"]], [digest, digest])

    def test_windows_has_a_wheel_an_archive_and_a_package_of_npm(self):
        target = targets.find("x86_64-pc-windows-gnu")
        out = self.built("windows", target)
        with zipfile.ZipFile(out / static.name(target)) as archive:
            self.assertIn(f"{static.folder(target)}/hookgate.exe", archive.namelist())
        with zipfile.ZipFile(out / f"hookgate-{source.version()}-py3-none-win_amd64.whl") as archive:
            self.assertIn(f"hookgate-{source.version()}.data/scripts/hookgate.exe", archive.namelist())
        with tarfile.open(out / npm.platform_name(target)) as archive:
            self.assertEqual(archive.getmember("package/bin/hookgate.exe").mode, 0o755)
        self.assertFalse(list(out.glob("*.deb")))


if __name__ == "__main__":
    unittest.main()
