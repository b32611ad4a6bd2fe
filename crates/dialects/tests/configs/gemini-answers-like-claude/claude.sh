#!/bin/bash
echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'
