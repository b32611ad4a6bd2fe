source "$(dirname "$0")/lib.sh"
(cd packages && sha256sum --check --ignore-missing --strict --quiet SHA256SUMS)
tar -xzf packages/*.tar.gz
program=$(echo "$PWD"/hookgate-*/hookgate)
denies "$program"
obeys "$program" "$program"
rm -r "$(dirname "$program")"
