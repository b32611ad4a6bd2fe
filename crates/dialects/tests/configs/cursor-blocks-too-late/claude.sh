#!/bin/bash
echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'
