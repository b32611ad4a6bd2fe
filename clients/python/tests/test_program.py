"""Promise: the client starts the program that was installed with it, and no other."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import hookgate

FIND = "import sys; sys.path.insert(0, sys.argv[1]); from hookgate._program import find; print(find())"


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def installed(self, site, script):
        """This package in a folder, with notes of what was installed, as pip writes them."""
        package = self.folder / site / "hookgate"
        shutil.copytree(pathlib.Path(hookgate.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        notes = self.folder / site / "hookgate-0.0.0.dist-info"
        notes.mkdir()
        (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: hookgate\nVersion: 0.0.0\n")
        (notes / "RECORD").write_text(f"hookgate/__init__.py,,\n{script},,\n")
        return self.folder / site

    def program(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        return path

    def found(self, site):
        command = [sys.executable, "-I", "-W", "error", "-c", FIND, str(site)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def test_it_is_where_it_was_installed(self):
        program = self.program("env/bin/hookgate")
        site = self.installed("env/lib/python3/site-packages", "../../../bin/hookgate")
        self.assertEqual(self.found(site), str(program))

    def test_in_a_folder_for_packages_it_is_within(self):
        site = self.installed("target", "../../bin/hookgate")
        program = self.program("target/bin/hookgate")
        self.assertEqual(self.found(site), str(program))

    def test_without_one_it_is_that_of_the_path(self):
        site = self.installed("env/lib/python3/site-packages", "../../../bin/hookgate")
        self.assertEqual(self.found(site), "hookgate")

    def test_the_notes_of_another_copy_do_not_count(self):
        other = self.program("env/bin/hookgate")
        site = self.installed("env/lib/python3/site-packages", "../../../bin/hookgate")
        shutil.move(str(site / "hookgate"), str(self.folder / "tree" / "hookgate"))
        command = [sys.executable, "-I", "-W", "error", "-c", "import sys; sys.path.insert(0, sys.argv[2]);" + FIND]
        tree = self.folder / "tree"
        said = subprocess.run([*command, str(tree), str(site)], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertNotEqual(said.strip(), str(other))


if __name__ == "__main__":
    unittest.main()
