//! Reads the hooks from all files. They add up; no file replaces the hooks of another.

use std::time::Duration;

use serde_json::{Map, Value};

use super::event::Event;
use super::group::{self, Group, Handler};
use super::matcher;
use super::source::{Rank, Source};
use super::timeouts;
use super::trust::{Reviews, trust_hash};
use crate::foreign::{
    Action, CommandForm, ForeignConfig, ForeignHook, Host, Layer, Shell, Warning,
};

/// Keys of `hooks` that are no events.
const NO_EVENTS: [&str; 3] = ["state", "managed_dir", "windows_managed_dir"];

/// Reads a config.
pub(super) fn load(layers: &[Layer], host: &Host) -> ForeignConfig {
    let mut config = ForeignConfig::default();
    let sources = Source::all(layers, &mut config.warnings);
    let is_untrusted = host.facts.get("project_trusted") == Some(&Value::Bool(false));
    let counts = |source: &&Source<'_>| !(is_untrusted && source.rank == Rank::Project);
    if let Some(source) = switch(sources.iter().filter(counts)) {
        config.warnings.push(warning(source, "/features", "it switches off all hooks"));
        return config;
    }
    let is_managed_only = sources.iter().any(|source| {
        source.rank == Rank::Required
            && source.content().get("allow_managed_hooks_only") == Some(&Value::Bool(true))
    });
    let mut loader = Loader { reviews: Reviews::read(&sources, host), host, config };
    for source in &sources {
        if !counts(&source) {
            loader.warn(source, "", "none of its hooks runs: the project is not trusted");
        } else if is_managed_only && !source.is_managed() {
            loader.warn(source, "", "none of its hooks runs: only managed hooks are allowed");
        } else {
            loader.add(source);
        }
    }
    warn_of_two_files(&mut loader.config, &sources);
    loader.config
}

/// Returns the file that switches off hooks, if so. Requirements win, then the strongest layer.
fn switch<'a>(sources: impl Iterator<Item = &'a Source<'a>>) -> Option<&'a Source<'a>> {
    let strength = |source: &&Source<'_>| match source.rank {
        Rank::Required => Rank::Plugin,
        rank => rank,
    };
    let says = |source: &Source<'_>| {
        let features = source.content().get("features")?;
        features.get("hooks").or_else(|| features.get("codex_hooks"))?.as_bool()
    };
    let speaking = sources.filter(|source| source.rank != Rank::Plugin && says(source).is_some());
    speaking.max_by_key(strength).filter(|source| says(source) == Some(false))
}

/// Both files of one layer may have hooks; it is hard to see for a reader.
fn warn_of_two_files(config: &mut ForeignConfig, sources: &[Source<'_>]) {
    for rank in [Rank::System, Rank::User, Rank::Project] {
        let of_rank = sources.iter().filter(|source| source.rank == rank);
        let has_hooks =
            |source: &&Source<'_>| config.hooks.iter().any(|hook| hook.layer == source.layer.name);
        let (toml, json): (Vec<_>, Vec<_>) =
            of_rank.filter(has_hooks).partition(|source| source.is_toml);
        if let (Some(toml), Some(json)) = (toml.first(), json.first()) {
            let message = format!("the same layer has hooks in {} too; all run", json.layer.file);
            config.warnings.push(warning(toml, "/hooks", &message));
        }
    }
}

struct Loader<'a> {
    reviews: Reviews<'a>,
    host: &'a Host,
    config: ForeignConfig,
}

impl Loader<'_> {
    fn warn(&mut self, source: &Source<'_>, pointer: &str, message: &str) {
        self.config.warnings.push(warning(source, pointer, message));
    }

    fn add(&mut self, source: &Source<'_>) {
        let objects = match source.events() {
            Ok(objects) => objects,
            Err(fault) => {
                self.warn(source, "/hooks", &format!("none of its hooks runs: {fault}"));
                return;
            }
        };
        if !source.is_toml && source.rank != Rank::Plugin {
            let known = ["description", "hooks", "$schema"];
            let keys = source.content().as_object().into_iter().flatten();
            for (key, _) in keys.filter(|(key, _)| !known.contains(&key.as_str())) {
                self.warn(source, &pointer("", key), "Codex does not know this key");
            }
        }
        for (pointer, events) in objects {
            self.add_events(source, &pointer, events);
        }
    }

    fn add_events(&mut self, source: &Source<'_>, at: &str, events: &Map<String, Value>) {
        let mut read = Vec::new();
        for (name, groups) in events {
            let Some(event) = Event::named(name) else {
                if !NO_EVENTS.contains(&name.as_str()) {
                    self.warn(source, &pointer(at, name), "Codex has no such event");
                }
                continue;
            };
            match group::read(groups, &pointer(at, name)) {
                Ok(groups) => read.push((event, groups)),
                // One fault makes the whole file void.
                Err(fault) => {
                    let message = format!("no hook of this file runs: {}", fault.message);
                    self.warn(source, &fault.pointer, &message);
                    return;
                }
            }
        }
        for (event, groups) in read {
            for group in groups {
                self.add_group(source, event, &group);
            }
        }
    }

    fn add_group(&mut self, source: &Source<'_>, event: Event, group: &Group<'_>) {
        let matcher = group.matcher.filter(|_| event.has_matcher());
        if let Some(fault) = matcher.and_then(matcher::fault) {
            let message = format!("its hooks do not run: the matcher is broken: {fault}");
            self.warn(source, &format!("{}/matcher", group.pointer), &message);
            return;
        }
        for (index, handler) in group.handlers.iter().enumerate() {
            let pointer = format!("{}/hooks/{index}", group.pointer);
            let action = match self.action(source, event, handler) {
                Ok(action) => action,
                Err(why) => {
                    self.warn(source, &pointer, &format!("it does not run: {why}"));
                    continue;
                }
            };
            let hash = trust_hash(event.name(), matcher, &Value::Object(handler.raw().clone()));
            let place = format!("{}:{}:{index}", event.key(), group.index);
            if let Some(why) = self.reviews.objection(source, &place, &hash) {
                self.warn(source, &pointer, &format!("it does not run: {why}"));
                continue;
            }
            if handler.raw().contains_key("additionalContextLimit") && !event.takes_context() {
                let message = "`additionalContextLimit` means nothing: this event takes no context";
                self.warn(source, &pointer, message);
            }
            if handler.raw().get("async") == Some(&Value::Bool(true))
                && !is_background(handler, event)
            {
                let message = "`async` means nothing here: the hook is waited for";
                self.warn(source, &pointer, message);
            }
            let own = handler.raw().get("timeout").and_then(Value::as_u64);
            let limit = timeouts::seconds(Some(event), own);
            if own.is_some_and(|own| own > limit) {
                self.warn(source, &pointer, &format!("`timeout` is cut to {limit} seconds here"));
            }
            self.config.hooks.push(hook(source, event, group, handler, pointer, action));
        }
    }

    fn action(
        &self,
        source: &Source<'_>,
        event: Event,
        handler: &Handler<'_>,
    ) -> Result<Action, String> {
        match handler {
            Handler::Command { command, .. } => {
                if command.trim().is_empty() {
                    return Err("its command is empty".to_owned());
                }
                let env = source.plugin_env(self.host);
                let command = env.iter().fold((*command).to_owned(), |command, (name, value)| {
                    command.replace(&format!("${{{name}}}"), value)
                });
                Ok(Action::Command {
                    form: CommandForm::Shell(Shell::Login, command),
                    env,
                    cwd: None,
                })
            }
            Handler::McpTool { .. } if event == Event::SessionEnd => {
                Err("MCP tools are not called when a session ends".to_owned())
            }
            Handler::McpTool { server, tool, input, .. } => Ok(Action::McpTool {
                server: (*server).to_owned(),
                tool: (*tool).to_owned(),
                input: Value::Object(input.clone()),
            }),
            Handler::Model { kind, .. } => Err(format!("Codex does not run `{kind}` hooks yet")),
        }
    }
}

fn hook(
    source: &Source<'_>,
    event: Event,
    group: &Group<'_>,
    handler: &Handler<'_>,
    pointer: String,
    action: Action,
) -> ForeignHook {
    let own = handler.raw().get("timeout").and_then(Value::as_u64);
    let read = ["type", "command", "server", "tool", "input", "timeout", "async"];
    let is_other = |(key, _): &(&String, &Value)| !read.contains(&key.as_str());
    let other = handler.raw().iter().filter(is_other);
    ForeignHook {
        event: event.name().to_owned(),
        matcher: group.matcher.map(str::to_owned),
        layer: source.layer.name.clone(),
        file: source.layer.file.clone(),
        pointer,
        action,
        timeout: Duration::from_secs(timeouts::seconds(Some(event), own)),
        background: is_background(handler, event),
        options: other.map(|(key, value)| (key.clone(), value.clone())).collect(),
        group: Map::new(),
    }
}

/// Returns whether nobody waits for a hook. The session must not end before its last hooks.
fn is_background(handler: &Handler<'_>, event: Event) -> bool {
    handler.is_async() && event != Event::SessionEnd
}

fn warning(source: &Source<'_>, pointer: &str, message: &str) -> Warning {
    Warning {
        file: source.layer.file.clone(),
        pointer: pointer.to_owned(),
        message: message.to_owned(),
    }
}

fn pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}
