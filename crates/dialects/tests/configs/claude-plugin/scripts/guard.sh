#!/bin/sh
grep -q 'rm -rf /' && { echo "no" >&2; exit 2; }
exit 0
