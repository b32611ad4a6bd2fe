//! One `[[hook]]`.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::{Node, NodeValue, SettingEntry, Settings};
use hookgate_contract::suggest::nearest;
use hookgate_contract::{BuiltHandler, Failure, FailureClass, Invocation, Mode, Posture, Role};
use serde_json::{Value, json};

use super::conditions::matcher;
use super::foreign::{failing_results, is_foreign, speaks_dialect};
use super::{ConfigProblem, Placed, Reading};
use crate::matcher::advice;
use crate::table::{HookSpec, override_key};

/// The kinds of handlers that hookgate has, whether or not they were compiled in.
pub(super) const KINDS: [&str; 4] = ["builtin", "command", "http", "prompt"];

/// The key under which any registered kind may stand.
const HANDLER: &str = "handler";

impl Reading<'_> {
    /// Reads a hook. One without an id gets its place as one, so that all else that is wrong with it
    /// is found as well.
    pub(super) fn hook(&mut self, node: &Node, surroundings: &BuildContext<'_>) -> Placed {
        let mut settings = Settings::new(node);
        let id = settings.required_text("id").map(str::to_owned);
        let events = self.events(&mut settings);
        let matcher = matcher(&mut settings);
        for (key, text) in advice(&matcher) {
            self.warn(settings.span_of(key), ConfigProblem::Condition(text));
        }
        let named = events.named();
        let surroundings = surroundings.of_hook(id.as_deref().unwrap_or_default()).at(&named);
        let handler = self.handler(&mut settings, &surroundings);

        let role = settings.choice("role", &["observe", "guard", "rewrite"], Role::from_name);
        let mode = settings.choice("mode", &["enforce", "warn", "shadow", "off"], Mode::from_name);
        let priority = settings.integer("priority");
        let after = settings.one_or_more("after").unwrap_or_default();
        let before = settings.one_or_more("before").unwrap_or_default();
        let tags = settings.one_or_more("tags").unwrap_or_default();
        let timeout = settings.duration("timeout");
        let postures = ["deny", "ask", "allow"];
        let on_failure = settings.choice("on_failure", &postures, Posture::from_name);
        let on = FailureClass::ALL.map(|class| {
            (class, settings.choice(override_key(class), &postures, Posture::from_name))
        });
        let background = settings.flag("background").unwrap_or_default();
        let merge = settings.flag("merge").unwrap_or_default();
        let may_allow = settings.flag("may_allow").unwrap_or_default();

        let foreign = handler.as_ref().is_some_and(|(kind, _)| is_foreign(kind));
        if foreign && !speaks_dialect(&settings) {
            self.foreign_events(&mut settings);
        }
        let span = settings.span();
        let keys = settings
            .entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.key_span.clone()))
            .collect();
        self.finish(settings);

        let role_known = role.is_some() || handler.is_some();
        // What was reported about the handler must not keep quiet what else is wrong.
        let (kind, mut built) = handler.unwrap_or_else(|| {
            let failed =
                |_: Invocation<'_>| Err(Failure::new(FailureClass::Spawn, "it was not built"));
            (String::new(), BuiltHandler::from_sync(failed))
        });
        let role_at = role.or(built.role);
        let (events, events_known) = self.suiting(events, role_at, built.supports, &matcher);
        if foreign && role.is_none() && on_failure.is_none() {
            built.notes.extend(failing_results(&events));
        }
        let id = id.unwrap_or_else(|| format!("line-{}", self.source.line(span.start)));
        let settings_of_handler = handler_settings(node, &kind);
        let mut spec = HookSpec::new(id, kind, built)
            .event_selectors(events)
            .when(matcher)
            .mode(mode.unwrap_or_default())
            .priority(priority.unwrap_or(100))
            .background(background)
            .merge(merge)
            .may_allow(may_allow)
            .settings(settings_of_handler);
        if let Some(role) = role {
            spec = spec.role(role);
        }
        if let Some(timeout) = timeout {
            spec = spec.timeout(timeout);
        }
        if let Some(posture) = on_failure {
            spec = spec.on_failure(posture);
        }
        for (class, posture) in on {
            if let Some(posture) = posture {
                spec = spec.on_failure_of(class, posture);
            }
        }
        spec = after.into_iter().fold(spec, HookSpec::after);
        spec = before.into_iter().fold(spec, HookSpec::before);
        spec = tags.into_iter().fold(spec, HookSpec::tag);
        Placed { spec, span, keys, role_known, events_known }
    }

    /// Finds the one handler of the hook and builds it: its kind, and what it became.
    fn handler(
        &mut self,
        settings: &mut Settings<'_>,
        surroundings: &BuildContext<'_>,
    ) -> Option<(String, BuiltHandler)> {
        let kinds = self.registry.kinds();
        let is_handler = |entry: &&SettingEntry| {
            let key = entry.key.as_str();
            key == HANDLER || KINDS.contains(&key) || kinds.iter().any(|kind| kind == key)
        };
        let found: Vec<&SettingEntry> = settings.entries().iter().filter(is_handler).collect();
        // A mistyped key should be compared with these as well.
        for key in KINDS.iter().copied().chain([HANDLER]).chain(kinds.iter().map(String::as_str)) {
            settings.node(key);
        }
        let entry = match found.as_slice() {
            [] => {
                self.error(settings.span(), ConfigProblem::NoHandler);
                return None;
            }
            [entry] => *entry,
            [_, second, ..] => {
                let names = found.iter().map(|entry| entry.key.clone()).collect();
                self.error(second.key_span.clone(), ConfigProblem::SeveralHandlers(names));
                return None;
            }
        };
        match entry.key.as_str() {
            "builtin" => self.builtin(&entry.node, surroundings),
            HANDLER => {
                let mut inner = Settings::new(&entry.node);
                let kind = inner.required_text("kind").map(str::to_owned);
                let span = inner.span_of("kind");
                match kind {
                    Some(kind) => self.kind(&kind, span, inner, surroundings),
                    None => {
                        // What else stands there only the handler would know.
                        self.errors.extend(inner.finish().into_iter().take(1).map(|error| {
                            super::ConfigError::new(
                                &self.source,
                                error.span,
                                ConfigProblem::Setting(error.problem),
                            )
                        }));
                        None
                    }
                }
            }
            kind => {
                self.kind(kind, entry.key_span.clone(), Settings::new(&entry.node), surroundings)
            }
        }
    }

    fn kind(
        &mut self,
        kind: &str,
        span: std::ops::Range<usize>,
        settings: Settings<'_>,
        surroundings: &BuildContext<'_>,
    ) -> Option<(String, BuiltHandler)> {
        match self.registry.kind(kind) {
            Some(build) => self.make(kind, &*build, settings, surroundings),
            None if self.allow_unverified => {
                self.warn(span, ConfigProblem::UnverifiedKind(kind.to_owned()));
                let missing = kind.to_owned();
                let unverified = move |_: Invocation<'_>| {
                    Err(Failure::new(
                        FailureClass::Spawn,
                        format!("no handler of kind `{missing}` is registered here"),
                    ))
                };
                Some((kind.to_owned(), BuiltHandler::from_sync(unverified)))
            }
            None => {
                let known = self.registry.kinds();
                let known: Vec<_> = known.iter().map(String::as_str).chain(["builtin"]).collect();
                let near = nearest(kind, &known).map(str::to_owned);
                self.error(span, ConfigProblem::UnknownKind { name: kind.to_owned(), near });
                None
            }
        }
    }

    /// `builtin = { name = "…", … }`, or `builtin = "…"` for one without settings.
    fn builtin(
        &mut self,
        node: &Node,
        surroundings: &BuildContext<'_>,
    ) -> Option<(String, BuiltHandler)> {
        let empty = Node { span: node.span.clone(), value: NodeValue::Table(Vec::new()) };
        let mut settings = Settings::new(match node.value {
            NodeValue::Text(_) => &empty,
            _ => node,
        });
        let name = match &node.value {
            NodeValue::Text(name) => Some(name.as_str()),
            _ => settings.required_text("name"),
        };
        let Some(name) = name else {
            self.errors.extend(settings.finish().into_iter().take(1).map(|error| {
                super::ConfigError::new(
                    &self.source,
                    error.span,
                    ConfigProblem::Setting(error.problem),
                )
            }));
            return None;
        };
        match self.registry.builtin(name) {
            Some(build) => self.make("builtin", &*build, settings, surroundings),
            None => {
                let known = self.registry.builtins();
                let known: Vec<_> = known.iter().map(String::as_str).collect();
                let near = nearest(name, &known).map(str::to_owned);
                let span = settings.span_of("name");
                self.error(span, ConfigProblem::UnknownBuiltin { name: name.to_owned(), near });
                None
            }
        }
    }

    fn make(
        &mut self,
        kind: &str,
        build: &crate::registry::BuildFn,
        mut settings: Settings<'_>,
        surroundings: &BuildContext<'_>,
    ) -> Option<(String, BuiltHandler)> {
        let span = settings.span();
        let built = build(&mut settings, surroundings);
        let before = self.errors.len();
        self.finish(settings);
        if built.is_none() && self.errors.len() == before {
            self.error(span.clone(), ConfigProblem::Unbuilt);
        }
        let built = built?;
        for warning in &built.warnings {
            self.warn(span.clone(), ConfigProblem::Handler(warning.clone()));
        }
        Some((kind.to_owned(), built))
    }
}

/// Returns the settings of the handler of a hook, however they are written: as `kind = { … }`, as
/// `handler = { kind = "kind", … }`, or as the name of a builtin. The other keys of the hook are known
/// to the engine and are not a part of it.
fn handler_settings(hook: &Node, kind: &str) -> Value {
    let NodeValue::Table(entries) = &hook.value else { return Value::Null };
    let handler = entries.iter().find(|entry| entry.key == HANDLER || entry.key == kind);
    let Some(entry) = handler else { return Value::Null };
    match entry.node.to_json() {
        Value::String(name) => json!({"name": name}),
        Value::Object(mut settings) if entry.key == HANDLER => {
            settings.remove("kind");
            settings.into()
        }
        settings => settings,
    }
}
