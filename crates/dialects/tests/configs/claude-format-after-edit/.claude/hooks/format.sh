#!/bin/bash
file=$(jq -r '.tool_input.file_path')
case "$file" in *.ts|*.tsx) npx prettier --write "$file" >/dev/null ;; esac
exit 0
