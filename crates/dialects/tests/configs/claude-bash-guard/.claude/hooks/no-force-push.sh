#!/bin/bash
command=$(jq -r '.tool_input.command')
if [[ "$command" == *"push"*"--force"* ]]; then
  echo "force push is off here" >&2
  exit 2
fi
exit 0
