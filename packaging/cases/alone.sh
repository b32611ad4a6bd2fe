# In a folder that has the program and nothing else: no library, no shell, no system.
source "$(dirname "$0")/lib.sh"
tar -xzf packages/*.tar.gz
mkdir empty
mv hookgate-*/hookgate hookgate-*/hookgate-call empty/
rm -r hookgate-*/
cp hooks.toml empty/
code=0
step "git push --force" | chroot empty /hookgate eval -c /hooks.toml >said || code=$?
[ "$code" = 2 ] || { cat said; fail "it ends with $code"; }
step "git push" | chroot empty /hookgate eval -c /hooks.toml >/dev/null
# Whatever it says without a daemon and an agent: it was started.
code=0
chroot empty /hookgate-call </dev/null >said 2>&1 || code=$?
[ "$code" -lt 126 ] || { cat said; fail "hookgate-call cannot be started: $code"; }
rm -r empty said
