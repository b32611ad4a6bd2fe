#!/bin/bash
read -r input
if echo "$input" | grep -q 'terraform apply'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"apply?"}}'
fi
