# What the cases share: to be read by bash, in the copy of the system.
set -o pipefail
cd "$(dirname "$0")"

fail() { echo "FAILED: $*"; exit 1; }

# Whatever answers later was installed here.
for name in hookgate hookgate-call; do
  ! command -v "$name" || fail "this system has $name already"
done
[ "$(grep -c : /proc/net/dev)" = 1 ] || fail "there is a network"

# `step COMMAND [EVENT]`: agents have names of their own for events.
step() {
  printf '{"hook_event_name":"%s","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"1"}' "${2:-pre_tool_use}" "$1"
}
# `ends_with CODE STEP COMMAND...`
ends_with() {
  local code=0
  step "$2" | "${@:3}" >said 2>&1 || code=$?
  [ "$code" = "$1" ] || { cat said; fail "\`$2\` with \`${*:3}\` ends with $code, not with $1"; }
  rm said
}
# `denies COMMAND` has the program that is installed judge two steps.
denies() {
  ends_with 2 "git push --force" "$@" eval -c "$PWD/hooks.toml"
  ends_with 0 "git push" "$@" eval -c "$PWD/hooks.toml"
}
is_native() { [ "$(head -c 4 "$1")" = $'\x7fELF' ] || fail "$1 is not a program"; }

# `obeys PROGRAM COMMAND` installs the hook of an agent by COMMAND, and has what was written judge a step.
obeys() {
  local program=$1 settings=$HOME/.claude/settings.json line
  "${@:2}" install --agent claude --yes --config "$PWD/hooks.toml" >/dev/null
  is_native "$program"
  grep -qF "$program hook --agent claude" "$settings" || { cat "$settings"; fail "another program is in the settings"; }
  line=$(sed -n 's/.*"command": "\(.*PreToolUse.*\)".*/\1/p' "$settings" | head -n 1 | sed 's/\\"/"/g; s/\\\\/\\/g')
  [ -n "$line" ] || { cat "$settings"; fail "there is no line for PreToolUse"; }
  step "git push --force" PreToolUse | sh -c "$line" >said 2>&1 || true
  grep -q "it rewrites what others have pulled" said || { cat said; fail "the hook does not deny: $line"; }
  step "git push" PreToolUse | sh -c "$line" >said 2>&1 || { cat said; fail "the hook denies everything: $line"; }
  rm said
  "${@:2}" install --agent claude --remove --yes >/dev/null
}
