#!/bin/bash
trap 'exit 0' ERR
command -v jq >/dev/null || exit 0
if jq -r '.tool_input | tostring' | grep -q 'AKIA[0-9A-Z]'; then
  echo "that looks like a key" >&2
  exit 2
fi
