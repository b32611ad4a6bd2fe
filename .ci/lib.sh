# What `.ci/run` and `.ci/full` share: to be read by bash with `source`, from the root of the repository.
set -euo pipefail

# What is built here is run once: neither what speeds up the next build nor what a debugger reads is of use.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

# `beside NAME COMMAND...` begins a command that runs beside what follows; `all_ended` waits for those that were
# begun and prints what each of them said in one piece. If one of them has failed, the run fails there.
# What compares times on the clock is never run beside anything.
begun=()
beside() {
  mkdir -p target
  # The shell has what it starts like this ignore an interrupt, and programs that a test interrupts would too.
  { time env --default-signal=INT,QUIT "${@:2}"; } >"target/beside-${#begun[@]}" 2>&1 &
  begun+=("$! $1")
}
all_ended() {
  local number failed=()
  for number in "${!begun[@]}"; do
    local name=${begun[number]#* }
    wait "${begun[number]%% *}" || failed+=("$name")
    printf '\n-- %s\n' "$name"
    cat "target/beside-$number"
  done
  begun=()
  [ ${#failed[@]} -eq 0 ] || { printf '\nfailed: %s\n' "${failed[@]}"; return 1; }
}
# After a failure too, nothing is left running, and what was said is seen.
trap all_ended EXIT

# `programs NAME[=PACKAGE]...` installs what is not there; the package has the name of the program if none is given.
programs() {
  local pair missing=()
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    apt-get install -y -qq "${missing[@]}" >/dev/null
  fi
}

# In CI, a case that is left out since its data are missing is a failure.
needs_shared() {
  if [ "${CI:-}" = true ] && [ ! -d ../shared/corpus ]; then
    echo "CI needs ../shared/corpus"; exit 1
  fi
}
