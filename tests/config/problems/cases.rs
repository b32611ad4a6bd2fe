//! Configs with mistakes, each with every message that it causes.

use crate::loading::hook;

/// Mistakes, each with all that is reported of it.
pub(super) fn cases() -> Vec<(String, &'static str)> {
    let on = |more: &str| hook("a", "pre_tool_use", more);
    let at = |event: &str, more: &str| hook("a", event, more);
    let with = |builtin: &str| on("").replace("\"log\"", builtin);
    let of = |handler: &str, text: String| text.replace("builtin = \"log\"", handler);
    let command = "command = { argv = [\"/bin/true\"] }";
    let judge =
        "prompt = { model = \"m\", base_url = \"http://127.0.0.1:1/v1\", prompt = \"No harm.\" }";
    let sharing = |capabilities: &str, more: &str| {
        let hook = of("handler = \"m\"", hook("a", "prompt_context", more));
        format!("[handler.m]\nbuiltin = \"log\"\ncapabilities = {capabilities}\n{hook}")
    };
    let piece = "fallback = { kind = \"prompt_context\", id = \"a\", content = \"b\" }";
    let two = |first: &str, second: &str| {
        format!("{}{}", hook("a", "stop", first), hook("b", "stop", second))
    };
    vec![
        // Budgets of a turn.
        (
            "[contributions]\nbites = 9\nbytes = \"much\"\nkind.prompt_contxt = { items = 1 }\nslot.memory = { items = -1 }\n".to_owned() + &hook("a", "stop", ""),
            "2:1: unknown key `bites`; did you mean `bytes`?\n\
             3:9: `bytes`: not a size such as \"256KiB\" or \"1MiB\"\n\
             4:6: unknown key `prompt_contxt`; did you mean `prompt_context`?\n\
             5:25: `items`: must be 0 to 1099511627776",
        ),
        // The table.
        (
            hook("a", "stop", "") + &hook("a", "stop", ""),
            "7:6: hook `a`: the id is used twice; every hook needs one of its own",
        ),
        (
            hook("a b", "stop", ""),
            "2:6: hook `a b`: the id must be made of letters, digits and `-_.:/`",
        ),
        (hook("", "stop", ""), "2:6: hook ``: the id must be made of letters, digits and `-_.:/`"),
        (at("stop", "").replace("\"stop\"", "[]"), "3:9: hook `a`: the hook names no event"),
        (
            at("stop", "").replace("\"stop\"", "[\"stop\", \"AfterAgent\"]"),
            "3:18: hook `a`: the event `stop` is named twice",
        ),
        (
            on("tool_glob = [\"ok\", \"{a\"]"),
            "5:20: hook `a`: the glob `{a` cannot be read: `{` is never closed",
        ),
        (
            on("cwd_glob = \"a}\""),
            "5:12: hook `a`: the glob `a}` cannot be read: `}` closes nothing; write `\\}` for the character",
        ),
        (
            on("tool_regex = \"a)|(b\""),
            "5:14: hook `a`: the regular expression `a)|(b` cannot be used: unopened group, at character 2",
        ),
        (
            on("input.command.exists = true"),
            "5:7: hook `a`: `command` is not a JSON pointer: it must begin with `/`: write `/command`",
        ),
        (
            on("input = { \"/a~b\" = { exists = true } }"),
            "5:11: hook `a`: `/a~b` is not a JSON pointer: inside a key `~` is written `~0`, and `/` is written `~1`",
        ),
        (
            on("tool = \"mcp__.*\""),
            "5:8: hook `a`: `tool` cannot be `mcp__.*`: it looks like a regular expression, and globs are meant here: write `mcp__*`",
        ),
        (
            on("tool = \"Bash(git push:*)\""),
            "5:8: hook `a`: `tool` cannot be `Bash(git push:*)`: arguments are not a part of the name: write `tool = \"Bash\"`, and beside it a condition such as `runs = \"git push\"`",
        ),
        (
            on("tool = [\"Bash\", \"\"]"),
            "5:17: hook `a`: `tool` cannot be ``: it is empty: write `*` for all, or leave the key out",
        ),
        (
            on("tool = \"Bash \""),
            "5:8: hook `a`: `tool` cannot be `Bash `: white space at an end is a part of the name: write `Bash`",
        ),
        (
            on("tool = \"Edit | Write\""),
            "5:8: hook `a`: `tool` cannot be `Edit | Write`: white space at an end is a part of the name: write `Edit|Write`",
        ),
        (
            on("tool = \"“Bash”\""),
            "5:8: hook `a`: `tool` cannot be `\\u{201c}Bash\\u{201d}`: it has the sign “ (U+201C) of a word processor, which no name has",
        ),
        (
            on("tool = [\"Bash\", \"!Bash\"]"),
            "5:8: hook `a`: no tool is left: every name that `tool` includes is excluded by a `!` in it",
        ),
        (
            on("agent = \"^reviewer$\""),
            "5:9: hook `a`: `agent` cannot be `^reviewer$`: it looks like a regular expression, and globs are meant here: write `reviewer`",
        ),
        (
            on("tool_glob = \"Edit|Write\""),
            "5:13: hook `a`: `tool_glob` cannot be `Edit|Write`: `|` separates nothing in a glob: write `{Edit,Write}`, or use `tool`",
        ),
        (
            on("tool_regex = \"\""),
            "5:14: hook `a`: `tool_regex` cannot be ``: it is empty: write `*` for all, or leave the key out",
        ),
        (
            on("cwd_glob = \"~/projects/**\""),
            "5:12: hook `a`: the glob `~/projects/**` cannot be used for folders: folders are absolute, and `~/projects/**` begins with neither `/` nor `**/`; `~` is not replaced",
        ),
        (
            on("cwd_glob = \"/srv/../a/\""),
            "5:12: hook `a`: the glob `/srv/../a/` cannot be used for folders: `.`, `..`, `//` and a `/` at the end are removed from paths: write `/a`",
        ),
        (
            on("input = { \"/command\" = { regex = \"\" } }"),
            "5:34: hook `a`: an empty regex has no meaning: write `exists = true` for any value, `equals = \"\"` for an empty one",
        ),
        (
            on("input = { \"/command\" = { regex = \"\\brm\\b\" } }"),
            "5:34: hook `a`: the pattern `\\brm\\b` contains the control character U+0008, which is what `\\b` became: in `\"…\"` TOML reads a backslash, so write the pattern in single quotes, `'…'`",
        ),
        (
            on("input = { \"/n\" = { equals = nan, one_of = [1, inf] } }"),
            "5:29: `equals`: `nan` and `inf` are not numbers of JSON, so no value is equal to them\n5:43: `one_of`: `nan` and `inf` are not numbers of JSON, so no value is equal to them",
        ),
        (
            on("input = { \"/n\" = { equals = 9223372036854775808 } }"),
            "5:29: the integer is beyond 64 bits",
        ),
        (
            at("user_prompt_submit", "input = { \"/promt\" = { exists = true } }"),
            "5:11: hook `a`: `user_prompt_submit` has no field `promt`; did you mean `/prompt`?",
        ),
        (
            at("stop", "payload = { \"/cwd\" = { exists = true } }"),
            "5:13: hook `a`: `stop` has no field `cwd`: it is in the header, and conditions look at stop_reason, last_assistant_message, stop_hook_active, continues_so_far",
        ),
        (
            on("payload = { \"/tool_inptu/command\" = { exists = true } }"),
            "5:13: hook `a`: `pre_tool_use` has no field `tool_inptu`; did you mean `/tool_input`?",
        ),
        (
            at("before_*", ""),
            "3:9: no event matches `before_*`: a glob matches hookgate's own names, which `hookgate events` lists",
        ),
        (
            at("session_*", "tool = \"Bash\""),
            "3:9: the hook suits no event that `session_*` matches: its role, its handler or its conditions make no sense there",
        ),
        (at("pre_{", ""), "3:9: `event`: the glob `pre_{` cannot be read: `{` is never closed"),
        (
            "[limits]\nintegers = \"exat\"\n".to_owned() + &on(""),
            "2:12: `integers`: `exat` is not one of interoperable, exact; did you mean `exact`?",
        ),
        (
            at("stop", "tool = \"Bash\""),
            "5:8: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            at("stop", "tool_glob = \"B*\""),
            "5:13: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            at("stop", "tool_regex = \"B.*\""),
            "5:14: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            at("stop", "safety = \"network\""),
            "5:10: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (at("stop", "role = \"rewrite\""), "5:8: hook `a`: a hook cannot rewrite at `stop`"),
        (
            at("session_end", "role = \"guard\""),
            "5:8: hook `a`: a hook cannot guard at `session_end`",
        ),
        (
            at("permission_request", "role = \"rewrite\""),
            "5:8: hook `a`: a hook cannot rewrite at `permission_request`",
        ),
        (
            at("stop", "").replace("\"log\"", "{ name = \"redact_secrets\" }"),
            "1:1: hook `a`: a hook cannot rewrite at `stop`\n3:9: hook `a`: this handler makes no sense at `stop`: no text can be rewritten here",
        ),
        (
            on("background = true"),
            "5:14: hook `a`: only observers run in the background, and rewriters of results; not this hook at `pre_tool_use`",
        ),
        (
            at("user_prompt_submit", "background = true\nrole = \"rewrite\""),
            "5:14: hook `a`: only observers run in the background, and rewriters of results; not this hook at `user_prompt_submit`",
        ),
        (
            at("session_start", "on_failure = \"deny\""),
            "5:14: hook `a`: a failure cannot count as deny for a hook that can guard at `session_start`",
        ),
        (
            at("stop", "on_timeout = \"ask\""),
            "5:14: `on_timeout`: a builtin answers at once, without a process or a service: it never fails so; leave it out\n5:14: hook `a`: a failure cannot count as ask for a hook that can guard at `stop`",
        ),
        (
            on("role = \"observe\"\non_failure = \"deny\""),
            "6:14: hook `a`: a failure cannot count as deny for a hook that can observe at `pre_tool_use`",
        ),
        (
            at("AfterTool", "on_failure = \"ask\""),
            "5:14: hook `a`: a failure cannot count as ask for a hook that can rewrite at `post_tool_use`\n5:14: hook `a`: a failure cannot count as ask for a hook that can rewrite at `post_tool_use_failure`",
        ),
        // How calls are made, and what is left of one that fails.
        (
            on("background = \"later\""),
            "5:14: `background`: `later` is neither true, false nor \"record\"",
        ),
        (
            on("role = \"observe\"\nbackground = { record = \"users\" }"),
            "6:25: `record`: `users` is neither user nor operator; did you mean `user`?",
        ),
        (
            on("role = \"observe\"\nbackground = { recorded = \"user\" }"),
            "6:14: `record` is missing\n6:16: unknown key `recorded`; did you mean `record`?",
        ),
        (
            on("required = true"),
            "5:12: hook `a`: a hook cannot be required at `pre_tool_use`: a failure can be denied there: write `on_failure = \"deny\"`",
        ),
        (
            at(
                "prompt_context",
                "fallback = { kind = \"policy\", domain = \"d\", key = \"k\", value = 1 }",
            ),
            "5:12: hook `a`: no contribution of kind `policy` is taken at `prompt_context`, so none can stand in there",
        ),
        (
            at("prompt_context", &format!("required = true\n{piece}")),
            "6:12: hook `a`: a fallback stands in where a failure counts as allow and the hook is not `required`, which is never so at `prompt_context`",
        ),
        (
            at("prompt_context", "fallback = []"),
            "5:12: `fallback`: names nothing that stands in; leave it out",
        ),
        (
            at("prompt_context", "fallback = \"text\""),
            "5:12: `fallback` must be a contribution or an array of them, not a string",
        ),
        (
            on("retry = { times = 2 }"),
            "5:9: hook `a`: this handler answers at once, within this process, and would answer the same again: only what waits for something else can be retried, such as `command`, `http` and `mcp`",
        ),
        (
            of(command, on("retry = { times = 2, on = \"panic\" }")),
            "5:9: hook `a`: a failure of class `panic` would be the same again; what can be tried again is: timeout, spawn, exit, signal, malformed, unreachable, http_status, overloaded",
        ),
        (
            of(command, on("retry = { times = 2, on = \"timeuot\" }")),
            "5:27: `on`: `timeuot` is not one of timeout, spawn, exit, signal, malformed, unreachable, http_status, overloaded; did you mean `timeout`?",
        ),
        (of(command, on("retry = {}")), "5:9: `times` is missing"),
        (of(command, on("retry = { times = 11 }")), "5:19: `times`: must be 1 to 10"),
        (
            of(command, on("retry = { times = 1, on = [] }")),
            "5:9: hook `a`: `on` names no failure, so nothing would be tried again",
        ),
        (
            of(command, on("timeout = \"100ms\"\nretry = { times = 1 }")),
            "6:9: hook `a`: the hook has 100ms for all its attempts, which is over before the second one: raise `timeout`, or lower `backoff` or `attempt`",
        ),
        (
            of(judge, on("retry = { times = 1 }")),
            "5:9: hook `a`: a judge retries by itself (`retries` and `backoff` of `prompt`, which follow what the service asks for): leave `retry` out, or set `retries = 0` there",
        ),
        (
            of(command, at("stop", "stream = {}")),
            "5:10: hook `a`: a text comes in parts at `post_llm_response` and `post_tool_use`, and the hook is at neither of them: leave `stream` out",
        ),
        (
            of(command, at("post_llm_response", "stream = { window = 3, overlap = 0 }")),
            "5:10: hook `a`: `stream` of this hook: a window has 16 to 1048576 bytes, not 3",
        ),
        (
            of(command, at("post_llm_response", "role = \"rewrite\"\nstream = {}")),
            "6:10: hook `a`: a text that still comes is judged by windows only if the hook is a guard, which changes nothing: leave `stream` out, and the hook waits for the whole",
        ),
        (of("handler = \"m\"", on("")), "4:11: there is no handler `m`"),
        (
            sharing("{ events = \"stop\" }", ""),
            "6:9: hook `a`: the handler does not declare `prompt_context` among its events, only `stop`",
        ),
        (
            sharing("{ contributes = \"audit\" }", piece),
            "8:12: hook `a`: the handler does not declare that it contributes `prompt_context`, so no such contribution can stand in",
        ),
        (
            hook("a", "turn_policy", "needs = [\"b\"]") + &hook("b", "prompt_compile", ""),
            "5:10: hook `a`: the hook `b` is called later in a turn than this one, so it has never answered by then",
        ),
        (
            hook("a", "stop", "needs = \"b\"") + &hook("b", "pre_tool_use", "needs = \"a\""),
            "5:9: hook `a`: the order goes round in a circle: a → b → a",
        ),
        (two("after = \"c\"", ""), "5:9: hook `a`: there is no hook `c`; known here: b"),
        (
            hook("log-all", "stop", "") + &hook("b", "stop", "before = [\"log-al\"]"),
            "10:11: hook `b`: there is no hook `log-al`; did you mean `log-all`?",
        ),
        (
            two("mode = \"off\"", "after = \"a\""),
            "10:9: hook `b`: the hook `a` is off, nothing can run before or after it",
        ),
        (
            hook("a", "stop", "") + &hook("b", "pre_tool_use", "before = \"a\""),
            "10:10: hook `b`: the hook `a` shares no event with this one, so there is no order between them",
        ),
        (
            two("after = \"b\"", "after = \"a\""),
            "5:9: hook `a`: the order goes round in a circle: a → b → a",
        ),
        (two("before = \"a\"", ""), "1:1: hook `a`: the order goes round in a circle: a → a"),
        // What is required.
        (
            "[require]\nhooks = [\"a\", \"b\"]\n".to_owned() + &hook("a", "stop", ""),
            "2:15: the hook `b` is required, but this file has none of that id",
        ),
        (
            "[require]\nhooks = [{ id = \"a\" }, 1]\n".to_owned() + &hook("a", "stop", ""),
            "2:10: `sha256` is missing\n2:24: `hooks` must be an id, a table { id = \"…\", sha256 = \"…\" }, or a list of these, not an integer",
        ),
        (
            "[require]\nevents = [\"stop\", \"session_end\"]\n".to_owned() + &on(""),
            "2:19: nothing can be denied at `session_end`, so no guard can be required there",
        ),
        (
            "[require]\nevents = \"pre_tool_ues\"\n".to_owned() + &on(""),
            "2:10: unknown event `pre_tool_ues`; did you mean `pre_tool_use`?",
        ),
        (
            hook("require", "stop", ""),
            "2:6: hook `require`: the id `require` belongs to the engine; give the hook another one",
        ),
        (
            on("tool = \"Bash\"\ntool_glob = \"mcp__*\""),
            "6:13: hook `a`: no name matches both `tool` and `tool_glob`, and both must: the hook would never be called",
        ),
        (
            on("input = { \"/tool_input/x\" = { exists = true } }"),
            "5:11: hook `a`: `input` begins inside the tool's input: write `/x`",
        ),
        (
            on("input = { \"/tool_response\" = { exists = true } }"),
            "5:11: hook `a`: `input` begins inside the tool's input, and `pre_tool_use` has no field `tool_response`",
        ),
        (
            on("input = { \"/a\" = { len = { gt = 3, lt = 3 } } }"),
            "5:9: hook `a`: `len`: no length is within these bounds",
        ),
        (
            on("input = { \"/a\" = { regex = \"x\", not = { regex = \"x\" } } }"),
            "5:11: hook `a`: no value meets all tests of `/a`: a test is there together with its negation",
        ),
        // The file.
        (
            on("") + "[builtin]\n",
            "6:2: unknown key `builtin` here: a handler belongs to a hook: write `[hook.builtin]` below its `[[hook]]`",
        ),
        (format!("{}x = [1,\n", on("")), "6:8: unclosed array, expected `]`"),
        (format!("version = 3\n{}", on("")), "1:11: version 3 is not known, only 1"),
        ("[hook]\nid = \"a\"".into(), "1:1: hooks are written as `[[hook]]`, with two brackets"),
        (on("tolo = \"Bash\""), "5:1: unknown key `tolo`; did you mean `tool`?"),
        (
            on("mode = \"shadwo\""),
            "5:8: `mode`: `shadwo` is not one of enforce, warn, shadow, off; did you mean `shadow`?",
        ),
        (
            on("on_failure = \"block\""),
            "5:14: `on_failure`: `block` is not one of deny, ask, allow; did you mean `deny`?",
        ),
        (on("on_http_status = 1"), "5:18: `on_http_status` must be a string, not an integer"),
        (on("priority = \"high\""), "5:12: `priority` must be an integer, not a string"),
        (
            on("tool = [\"Bash\", 1]"),
            "5:8: `tool` must be a string or an array of strings, not an array",
        ),
        (
            on("timeout = \"2 bananas\""),
            "5:11: `timeout`: not a duration such as \"2s\" or \"250ms\": unknown time unit \"bananas\", supported units: ns, us/µs, ms, sec, min, hours, days, weeks, months, years (and few variations)",
        ),
        (with("{ name = \"deny\" }"), "4:11: `reason` is missing"),
        (at("PreTolUse", ""), "3:9: unknown event `PreTolUse`; did you mean `PreToolUse`?"),
        (at("x.Deploy", ""), "3:9: unknown event `x.Deploy`"),
        (with("\"lgo\""), "4:11: unknown builtin `lgo`; did you mean `log`?"),
        (
            on("").replace("builtin = \"log\"", "handler = { kind = \"my-knd\" }"),
            "4:20: no handler of kind `my-knd` is registered; did you mean `my-kind`?",
        ),
        (
            at("session_start", "mode = \"off\"\nrole = \"rewrite\""),
            "6:8: hook `a`: a hook cannot rewrite at `session_start`",
        ),
        (on("tool = []"), "5:8: `tool`: it is empty: leave it out to match everything"),
        (on("safety = []"), "5:10: `safety`: it is empty: leave it out to match everything"),
        (on("cwd_glob = []"), "5:12: `cwd_glob`: it is empty: leave it out to match everything"),
        (on("input = {}"), "5:9: `input`: it is empty: leave it out to match everything"),
        (
            on("input = { \"/a\" = { one_of = [] } }"),
            "5:29: `one_of`: it is empty: no value could be one of them",
        ),
        (
            on("tool = \"Bash\"\nrole = \"rewrit\"").replace("id = \"a\"\n", ""),
            "1:1: `id` is missing\n5:8: `role`: `rewrit` is not one of observe, guard, rewrite; did you mean `rewrite`?",
        ),
        (
            at("stop", "tool = \"Bash\"").replace("id = \"a\"\n", ""),
            "1:1: `id` is missing\n4:8: hook `line-1`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        ("[[hook]]\nid = \"a\"\nevent = \"stop\"".into(), "1:1: the hook has no handler"),
        (
            on("canary = 1"),
            "5:10: `canary`: must be an array of steps, each a table with `step` and `decision`",
        ),
        (
            on(
                "canary = [{ step = { tool_name = \"Bash\" }, decision = \"deny\" }, { event = 1, more = 2 }]",
            ),
            "5:20: `step`: pre_tool_use: missing field `tool_input`\n5:65: `step` is missing\n5:65: `decision` is missing\n5:75: `event` must be a string, not an integer\n5:78: unknown key `more`; known here: event, step, decision, patch",
        ),
        (
            on(
                "canary = [{ step = { tool_name = \"Bash\", tool_input = {} }, decision = \"denied\" }]",
            ),
            "5:72: `decision`: `denied` is not one of allow, ask, deny, halt, answered",
        ),
        (
            on("canary = [{ event = \"stop\", step = {}, decision = \"deny\" }]"),
            "5:21: `event`: the hook is not called at `stop`",
        ),
        (
            on("canary = [{ step = { tool_name = \"Bash\", tool_input = {} }, patch = {} }]"),
            "5:10: `canary`: none of them must be stopped, so they cannot show that the hook works: add one with `decision = \"deny\"`, or with the `patch` that must be made",
        ),
        (on("my-kind = {}"), "5:1: the hook has several handlers: builtin, my-kind"),
        (
            on("").replace("builtin = \"log\"", "hopeless = {}"),
            "4:12: the handler could not be built from these settings",
        ),
        (
            at("x.other", ""),
            "3:9: unverified: event `x.other` is not registered here, so only its own runtime knows what hooks may decide there",
        ),
    ]
}
