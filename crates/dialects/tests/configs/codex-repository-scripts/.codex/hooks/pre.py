import json, sys
call = json.load(sys.stdin)
if "curl" in call["tool_input"]["command"]:
    sys.exit(2)
