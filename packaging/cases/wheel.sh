source "$(dirname "$0")/lib.sh"
python3 -m venv env
before=$(find env | sort)
env/bin/pip install --quiet --no-index --no-cache-dir --no-compile --disable-pip-version-check packages/*.whl
is_native env/bin/hookgate
is_native env/bin/hookgate-call
denies env/bin/hookgate
obeys "$PWD/env/bin/hookgate" env/bin/hookgate
# The program is not in the PATH: the client finds its own.
env/bin/python client.py
env/bin/pip uninstall --quiet --yes hookgate
[ "$(find env | sort)" = "$before" ] || { diff <(echo "$before") <(find env | sort); fail "something is left"; }
rm -rf env
# Without an environment, into any folder.
python3 -m pip install --quiet --no-index --no-cache-dir --no-compile --disable-pip-version-check --target folder packages/*.whl
PYTHONPATH=folder python3 client.py
rm -rf folder
