#!/usr/bin/env python3
import json, os, sys
call = json.load(sys.stdin)
if call["tool_name"] == "Bash" and os.environ.get("DEPLOY_ENV") == "prod":
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "ask", "permissionDecisionReason": "this is prod"}}))
