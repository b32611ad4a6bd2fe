//! One row: hooks of an event, what each of them said, and what comes of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookgate_agent_systems::foreign::{
    Audience, ForeignHook, ForeignVerdict, HookResult, HookStatus, HookSystem, Host, Layer,
    Outcome, RawRun, RunEnd, Selection,
};
use serde_json::{Map, Value, json};

/// What is so where a row says nothing else.
const SILENT: [(&str, &str); 9] = [
    ("verdict", "\"none\""),
    ("context", "[]"),
    ("halt", "false"),
    ("ends_turn", "false"),
    ("updated_input", "null"),
    ("updated_output", "null"),
    ("system_message", "null"),
    ("context_spilled", "false"),
    ("halt_reason", "null"),
];

/// What a row says of the config alone: the time limit of its first hook, and whether it runs.
const OF_CONFIG: [&str; 2] = ["timeout_s", "selected"];

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    agent: &'static str,
    keys: Map<String, Value>,
}

impl Row {
    /// Reads a line.
    pub(crate) fn parse(agent: &str, line: &str) -> Self {
        let known = ["claude", "codex", "gemini", "copilot", "cursor"];
        let agent = known.into_iter().find(|known| *known == agent).unwrap();
        let keys: Map<String, Value> =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(keys["page"].as_str().is_some_and(|page| !page.is_empty()), "no rule: {line}");
        Self { agent, keys }
    }

    /// Returns the event.
    pub(crate) fn event(&self) -> &str {
        self.keys["event"].as_str().unwrap()
    }

    fn get(&self, key: &str) -> &Value {
        self.keys.get(key).unwrap_or(&Value::Null)
    }

    /// Returns what is not as the row says, as lines for a reader.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let (results, outcome) = self.play(&mut wrong);
        let got = seen(&results, &outcome);
        let expect = self.keys["expect"].as_object().unwrap();
        for (key, expected) in expect.iter().filter(|(key, _)| !OF_CONFIG.contains(&key.as_str())) {
            if !is_as_expected(key, expected, &got, &outcome) {
                let got = if key == "effect" { &json!(outcome.effect) } else { &got[key] };
                wrong.push(format!("`{key}` is {got}, not {expected}"));
            }
        }
        for (key, silent) in SILENT.iter().filter(|(key, _)| !expect.contains_key(*key)) {
            let silent: Value = serde_json::from_str(silent).unwrap();
            if got[*key] != silent {
                wrong.push(format!("`{key}` is {}, and is not named", got[*key]));
            }
        }
        if wrong.is_empty() {
            return Vec::new();
        }
        let row = Value::Object(self.keys.clone());
        vec![format!("{} {row}\n    {}", self.agent, wrong.join("\n    "))]
    }

    /// Lets the agent read what each hook said, and join it.
    fn play(&self, wrong: &mut Vec<String>) -> (Vec<HookResult>, Outcome) {
        let mut systems = hookgate_agent_systems::systems().into_iter();
        let system = systems.find(|system| system.name() == self.agent).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let host = self.host(folder.path().to_owned());
        let hooks = self.hooks(&system, &host);
        let input = self.input();
        let runs = self.keys["runs"].as_array().unwrap();
        assert_eq!(hooks.len(), runs.len(), "a hook was dropped: {:?}", self.keys);
        self.check_config(&system, &hooks[0], (&input, &host), wrong);
        let mut results = Vec::new();
        for (index, (hook, run)) in hooks.iter().zip(runs).enumerate() {
            let mut result = system.read(hook, &input, &raw_run(run), &host);
            result.event.clone_from(&hook.event);
            result.layer.clone_from(&hook.layer);
            let order = run["finished"].as_u64().unwrap_or(index as u64);
            result.finished = Duration::from_millis(order);
            results.push(result);
        }
        let of = |is_late: bool| {
            let of_hook = hooks.iter().zip(&results);
            let list = of_hook.filter(|(hook, _)| hook.background == is_late);
            list.map(|(_, result)| result.clone()).collect::<Vec<_>>()
        };
        let mut outcome = system.combine(&input, of(false), &host);
        outcome.effect.extend(system.deliver(&of(true), &host));
        (results, outcome)
    }

    /// Compares what the config says of the first hook.
    fn check_config(
        &self,
        system: &Arc<dyn HookSystem>,
        hook: &ForeignHook,
        (input, host): (&Map<String, Value>, &Host),
        wrong: &mut Vec<String>,
    ) {
        let is_selected = system.selects(hook, input, host) == Selection::Runs;
        let limit = system.timeout(hook, input, host).as_secs_f64();
        for (key, got) in OF_CONFIG.iter().zip([json!(limit), json!(is_selected)]) {
            let expected = &self.keys["expect"][*key];
            let is_same = expected.as_f64().map_or(&got == expected, |time| got == json!(time));
            if !expected.is_null() && !is_same {
                wrong.push(format!("`{key}` is {got}, not {expected}"));
            }
        }
    }

    /// Returns one hook for each run: a command, with the keys that the row adds.
    fn hooks(&self, system: &Arc<dyn HookSystem>, host: &Host) -> Vec<ForeignHook> {
        let mut handlers = Vec::new();
        for index in 0..self.keys["runs"].as_array().unwrap().len() {
            let mut handler = json!({"type": "command", "command": format!("hook-{index}")});
            for (key, value) in self.get("hook").as_object().into_iter().flatten() {
                handler[key.as_str()] = value.clone();
            }
            handlers.push(handler);
        }
        let event = self.event();
        let (name, content) = match self.agent {
            "cursor" | "copilot" => ("project", json!({"version": 1, "hooks": {event: handlers}})),
            agent => {
                let mut group = json!({"hooks": handlers});
                if let Some(matcher) = self.keys.get("matcher").filter(|matcher| !matcher.is_null())
                {
                    group["matcher"] = matcher.clone();
                }
                let layer = if agent == "codex" { "user" } else { "project" };
                (layer, json!({"hooks": {event: [group]}}))
            }
        };
        let layer = Layer { name: name.to_owned(), file: format!("{name}.json"), content };
        system.load(&[layer], host).hooks
    }

    fn host(&self, folder: PathBuf) -> Host {
        let temporary = folder.to_string_lossy().into_owned();
        Host {
            cwd: folder.clone(),
            project: folder,
            env: vec![("TMPDIR".to_owned(), temporary)],
            interactive: self.get("print") != &Value::Bool(true),
            facts: self.get("facts").as_object().cloned().unwrap_or_default(),
        }
    }

    /// Returns an envelope that has what any event has, with the fields that the row adds.
    fn input(&self) -> Map<String, Value> {
        let mut input = json!({
            "session_id": "s-1", "hook_event_name": self.event(), "cwd": "/",
            "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "u-1",
            "tool_response": {"llmContent": "result", "stdout": "ok"}, "prompt": "p",
            "delta": "shown text", "transformedPrompt": "p*", "trigger": "manual",
            "llm_request": {"model": "m"}, "status": "completed", "loop_count": 0,
            "llm_response": {"candidates": [{"content": {"parts": ["original"]}}]},
        });
        for (key, value) in self.get("input").as_object().into_iter().flatten() {
            input[key.as_str()] = value.clone();
        }
        input.as_object().unwrap().clone()
    }
}

/// Reads how a hook ended: `exit`, or `end` with what is no exit of a program.
fn raw_run(run: &Value) -> RawRun {
    let end = match run["end"].as_str() {
        None => RunEnd::Exited(run["exit"].as_i64().unwrap_or_default() as i32),
        Some("signal") => RunEnd::Signalled(9),
        Some("timeout") => RunEnd::TimedOut,
        Some("unread") => RunEnd::InputNotRead(run["exit"].as_i64().unwrap_or_default() as i32),
        Some("http") => RunEnd::Answered(run["status"].as_u64().unwrap() as u16),
        Some("unreachable") => RunEnd::Unreachable("nobody listens".to_owned()),
        Some("tool") => RunEnd::Called(run["is_error"] == true),
        Some("no server") => RunEnd::NotConnected,
        Some("model") => RunEnd::Opinion(run["answer"].clone()),
        Some(other) => panic!("no such end: {other}"),
    };
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        object => object.to_string(),
    };
    RawRun {
        stderr: text(&run["err"]).into_bytes(),
        ..RawRun::new(end).with_stdout(text(&run["out"]).into_bytes())
    }
}

/// Returns what came of the hooks, under the names of the rows.
fn seen(results: &[HookResult], outcome: &Outcome) -> Value {
    json!({
        "verdict": match outcome.verdict {
            ForeignVerdict::None => "none",
            ForeignVerdict::Allow => "allow",
            ForeignVerdict::Ask => "ask",
            ForeignVerdict::Defer => "defer",
            ForeignVerdict::Deny => "deny",
            ForeignVerdict::Feedback => "feedback",
            ForeignVerdict::KeepGoing => "keep_going",
        },
        "reason": outcome.reason,
        "reason_to": match outcome.reason_to {
            Some(Audience::Model) => "model",
            Some(Audience::User) => "user",
            Some(Audience::Nobody) | None => "none",
        },
        "context": outcome.context,
        "context_spilled": outcome.context_spilled,
        "updated_input": outcome.updated_input,
        "updated_output": outcome.updated_output,
        "halt": outcome.halt,
        "halt_reason": outcome.halt_reason,
        "ends_turn": outcome.ends_turn,
        "system_message": outcome.system_message,
        "shown_to_user": outcome.shown_to_user,
        "status": results.iter().map(|result| status(&result.status)).collect::<Vec<_>>(),
        "error": results.iter().find_map(|result| message(&result.status)),
    })
}

const fn status(status: &HookStatus) -> &'static str {
    match status {
        HookStatus::Ok => "ok",
        HookStatus::Blocked => "blocked",
        HookStatus::Stopped => "stopped",
        HookStatus::Error(_) => "error",
        HookStatus::Failed(_) => "failed",
        HookStatus::Timeout(_) => "timeout",
        HookStatus::Ignored => "ignored",
        HookStatus::Skipped(_) => "skipped",
    }
}

fn message(status: &HookStatus) -> Option<&str> {
    match status {
        HookStatus::Error(text) | HookStatus::Failed(text) | HookStatus::Timeout(text) => {
            Some(text)
        }
        _ => None,
    }
}

/// Compares a key. A text that begins with `~` is part of the text; of effects only those that are named count.
fn is_as_expected(key: &str, expected: &Value, got: &Value, outcome: &Outcome) -> bool {
    if key == "effect" {
        return expected
            .as_object()
            .unwrap()
            .iter()
            .all(|(name, expected)| outcome.effect.get(name).unwrap_or(&Value::Null) == expected);
    }
    match expected.as_str().and_then(|text| text.strip_prefix('~')) {
        Some(part) => got[key].as_str().is_some_and(|text| text.contains(part)),
        None => &got[key] == expected,
    }
}
