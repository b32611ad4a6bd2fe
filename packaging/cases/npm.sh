source "$(dirname "$0")/lib.sh"
install() { npm install --offline --no-audit --no-fund --loglevel=error "$@"; }
package=$(ls ./packages/hookgate-linux-*.tgz)
client=$(ls ./packages/hookgate-[0-9]*.tgz)

mkdir project
cd project
echo '{"name": "project", "private": true}' >package.json
install "../$client" "../$package"
program=$(echo "$PWD"/node_modules/@hookgate/linux-*/bin/hookgate)
is_native "$program"
is_native "$program-call"
cd ..
denies project/node_modules/.bin/hookgate
# The agents start the program itself, though it is node that was asked to install it.
obeys "$program" project/node_modules/.bin/hookgate
cp client.mjs project/
node project/client.mjs "$program"

# A signal reaches the program, and what it ended with is passed on: `signalled SIGNAL WHOM CODE`.
signalled() {
  local shim code=0
  mkfifo fifo
  project/node_modules/.bin/hookgate serve --stdio --config "$PWD/hooks.toml" <fifo >/dev/null 2>&1 &
  shim=$!
  exec 9>fifo
  for _ in $(seq 300); do served=$(pgrep -f "^$program serve") && break; sleep 0.1; done
  [ -n "$served" ] || fail "the program was not started"
  case $2 in shim) kill "-$1" "$shim" ;; program) kill "-$1" "$served" ;; esac
  wait "$shim" || code=$?
  exec 9>&-
  rm fifo
  ! kill -0 "$served" 2>/dev/null || fail "the program was left running after $1"
  [ "$code" = "$3" ] || fail "after $1 to the $2 it ends with $code, not with $3"
}
# A server that is asked to end does so in order.
signalled TERM shim 0
signalled KILL program 137

platform=@hookgate/$(basename "${program%/bin/hookgate}")
(cd project && npm uninstall --offline --loglevel=error hookgate "$platform" >/dev/null)
[ -z "$(find project/node_modules -type f -not -name .package-lock.json)" ] || { find project; fail "something is left"; }

# Without the package of the platform nothing is allowed, and it is said which one is missing.
(cd project && install "../$client")
ends_with 2 "git push" project/node_modules/.bin/hookgate eval -c "$PWD/hooks.toml"
step "git push" | project/node_modules/.bin/hookgate eval 2>said || true
grep -qF "the package $platform is not installed" said || { cat said; fail "it does not say what is missing"; }
! node project/client.mjs none 2>said || fail "a step was judged by nothing"
grep -qF "the package $platform, which has it, is not installed" said || { cat said; fail "the client does not say what is missing"; }
rm -r said project

# For all projects.
install --global --prefix "$PWD/prefix" "$client" "$package"
denies prefix/bin/hookgate
obeys "$(echo "$PWD"/prefix/lib/node_modules/@hookgate/linux-*/bin/hookgate)" prefix/bin/hookgate
npm uninstall --offline --global --prefix "$PWD/prefix" --loglevel=error hookgate "$platform" >/dev/null
[ -z "$(find prefix -not -type d)" ] || { find prefix; fail "something is left"; }
rm -rf prefix
