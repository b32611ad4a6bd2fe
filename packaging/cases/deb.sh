source "$(dirname "$0")/lib.sh"
dpkg --install packages/*.deb
dpkg --verify hookgate
denies hookgate
obeys /usr/bin/hookgate hookgate
dpkg --purge hookgate
! dpkg --status hookgate 2>/dev/null || fail "dpkg still knows it"
