//! The documents about agents: one page for each, and one about all of them. What an agent does with an
//! answer comes from its dialect.

use std::sync::Arc;

use hookgate::contract::VerdictDecision;
use hookgate::contract::dialect::{Dialect, HostDecision, HostEffect};
use serde_json::{Map, Value, json};

use super::markdown::{row, sentence};
use crate::agents::{PROFILES, Profile};

const INTRODUCTION: &str = include_str!("agents.md");

/// The effects that a policy can want, in the order of the columns.
const EFFECTS: &[HostEffect] = &[
    HostEffect::Deny,
    HostEffect::Ask,
    HostEffect::Allow,
    HostEffect::Rewrite,
    HostEffect::RewriteResult,
    HostEffect::Answer,
    HostEffect::KeepGoing,
    HostEffect::Context,
    HostEffect::Message,
    HostEffect::Halt,
];

/// Returns the documents, each with its path in the repository.
pub(super) fn documents() -> Vec<(String, String)> {
    let agents: Vec<(&Profile, Arc<dyn Dialect>)> =
        PROFILES.iter().filter_map(|profile| Some((profile, profile.dialect().ok()?))).collect();
    let mut documents = vec![("docs/agents.md".to_owned(), overview(&agents))];
    documents.extend(agents.iter().map(|(profile, dialect)| {
        (format!("docs/agents/{}.md", profile.name), page(profile, &**dialect))
    }));
    documents
}

fn overview(agents: &[(&Profile, Arc<dyn Dialect>)]) -> String {
    let mut text = format!("{INTRODUCTION}## The agents\n\n");
    text.push_str(
        "What an agent does with an answer before a tool runs. Where it cannot ask or rewrite, hookgate \
         denies instead, and says so. *Tried with* is the version in whose sessions a hook of hookgate was seen to be \
         obeyed; an agent without one was built from its documentation. `install` and `doctor` say so if yours is \
         another one.\n\n\
         | agent | `--agent` | tried with | hooks of its user | of a project | deny | ask | rewrite |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (profile, dialect) in agents {
        let tool = dialect.events().iter().find(|event| event.ours == "pre_tool_use");
        let can = |effect| if tool.is_some_and(|event| event.can(effect)) { "yes" } else { "no" };
        let title = format!("[{}](agents/{}.md)", dialect.title(), profile.name);
        let user = format!("`{}`", user_file(profile));
        let project = profile.project_file.map_or_else(String::new, |file| format!("`{file}`"));
        let effects = [HostEffect::Deny, HostEffect::Ask, HostEffect::Rewrite].map(can);
        let name = format!("`{}`", profile.name);
        let tried = profile.tried.unwrap_or("no version");
        let [deny, ask, rewrite] = effects;
        text.push_str(&row(&[&title, &name, tried, &user, &project, deny, ask, rewrite]));
    }
    text
}

fn user_file(profile: &Profile) -> String {
    format!("~/{}/{}", profile.folder.1, profile.user_file)
}

fn page(profile: &Profile, dialect: &dyn Dialect) -> String {
    let (name, title) = (profile.name, dialect.title());
    let mut text = format!(
        "# {title}\n\n\
         ```sh\n\
         hookgate init --example guardrails --dir ~/.config/hookgate\n\
         hookgate install --agent {name}\n\
         hookgate doctor --agent {name}\n\
         ```\n\n\
         This page is made from the dialect `{name}`; `cargo run -p hookgate-cli -- reference --write .` \
         renews it. [All agents](../agents.md)\n\n"
    );
    text.push_str(&files(profile));
    text.push_str(&events(profile, dialect));
    text.push_str(&impossible(dialect));
    text.push_str(&example(profile, dialect));
    text.push_str(&format!(
        "## Cost\n\n{} Each call starts a shell, `timeout` and hookgate, \
         which reads the policy anew.\n",
        profile.cost
    ));
    text
}

fn files(profile: &Profile) -> String {
    let mut text = format!("## Where it is written\n\n* for a user: `{}`", user_file(profile));
    if let Some(variable) = profile.folder.0 {
        text.push_str(&format!(", or in the folder that `{variable}` names"));
    }
    text.push_str("\n* for a project: ");
    match profile.project_file {
        Some(file) => text.push_str(&format!("`{file}`\n")),
        None => text.push_str("the agent reads no hooks there\n"),
    }
    let notes = match (profile.user_note, profile.project_note) {
        (user, project) if user == project => vec![user.to_owned()],
        ("", project) => vec![format!("For a project: {project}")],
        (user, project) => vec![format!("For a user: {user}"), format!("For a project: {project}")],
    };
    for note in notes.iter().filter(|note| !note.is_empty()) {
        text.push_str(&format!("\n{note}\n"));
    }
    text.push('\n');
    text
}

fn events(profile: &Profile, dialect: &dyn Dialect) -> String {
    let mut text = "## Events\n\n".to_owned();
    text.push_str(
        "What happens if hookgate fails there: *closed* is a deny, *open* has no effect. An event that is \
         *left out* gets no hook unless `--event` names it.\n\n\
         | event | step | what an answer can do | after a deny | a failure |\n|---|---|---|---|---|\n",
    );
    for event in dialect.events() {
        let left_out = profile.why_left_out(event.name).is_some();
        let failure = match (left_out, event.fails_closed()) {
            (true, _) => "left out",
            (false, true) => "closed",
            (false, false) => "open",
        };
        let effects: Vec<&str> = EFFECTS
            .iter()
            .filter(|effect| event.can(**effect))
            .map(|effect| effect.name())
            .collect();
        text.push_str(&row(&[
            &format!("`{}`", event.name),
            &format!("`{}`", event.ours),
            &effects.join(", "),
            &sentence(event.on_deny),
            failure,
        ]));
    }
    text.push('\n');
    for (event, why) in profile.left_out {
        text.push_str(&format!("`{event}` is left out: {why}.\n\n"));
    }
    text
}

fn impossible(dialect: &dyn Dialect) -> String {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for event in dialect.events().iter().filter(|event| !event.note.is_empty()) {
        match notes.iter_mut().find(|(note, _)| *note == event.note) {
            Some((_, events)) => events.push(event.name),
            None => notes.push((event.note, vec![event.name])),
        }
    }
    let mut text = "## What is impossible or surprising\n\n".to_owned();
    for (note, events) in notes {
        let events: Vec<String> = events.iter().map(|name| format!("`{name}`")).collect();
        text.push_str(&format!("* {}: {note}\n", events.join(", ")));
    }
    text.push('\n');
    text
}

/// A step as the agent sends it, and the deny that it gets.
fn example(profile: &Profile, dialect: &dyn Dialect) -> String {
    let mut text = format!(
        "## Example\n\n\
         ```toml\n\
         [[hook]]\n\
         id = \"no-force-push\"\n\
         event = \"pre_tool_use\"\n\
         runs = [\"git push --force|-f|--force-with-lease\"]\n\
         builtin = {{ name = \"deny\", reason = \"force push rewrites what others have pulled\" }}\n\
         ```\n\n\
         The condition is about what the command does, so that it holds in every agent. A condition on the \
         tool itself names it as the agent does: `tool = \"{}\"`.\n\n",
        profile.shell_tool
    );
    if let Some((sent, answer)) = exchange(profile, dialect) {
        text.push_str(&format!(
            "{} sends\n\n```json\n{sent}\n```\n\nand gets\n\n",
            dialect.title()
        ));
        text.push_str(&format!("```json\n{answer}\n```\n\n"));
    }
    text
}

fn exchange(profile: &Profile, dialect: &dyn Dialect) -> Option<(String, String)> {
    let envelope = json!({
        "hook_event_name": "pre_tool_use", "session_id": "s-1", "cwd": "/home/me/project",
        "tool_name": profile.shell_tool, "tool_use_id": "call-1",
        "tool_input": { "command": "git push --force" },
    });
    let input = dialect.write(envelope.as_object()?).ok()?;
    let Value::Object(native) = input.envelope.clone() else { return None };
    let step = dialect.read(Some(&input.event), native).ok()?;
    let patch = Map::new();
    let reason = "force push rewrites what others have pulled";
    let decision = HostDecision::new(Some(VerdictDecision::Deny), Some(reason), &patch);
    let answer = dialect.answer(&step, &decision);
    let pretty = |value: &Value| serde_json::to_string_pretty(value).ok();
    let said = serde_json::from_str(&answer.stdout).ok()?;
    Some((pretty(&input.envelope)?, pretty(&said)?))
}
