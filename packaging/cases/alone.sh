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
chroot empty /hookgate-call --version >/dev/null 2>&1 || true
rm -r empty said
