//! One `[[hook]]`.
//!
//! ```toml
//! [[hook]]
//! id = "no-force-push"            # unique in the file
//! event = ["pre_tool_use"]        # names, names of other systems, globs
//! tool = "Bash"                   # conditions
//! input = { "/command" = { regex = "push.*--force" } }
//! builtin = { name = "deny", reason = "…" }   # the handler
//! role = "guard"                  # options
//! on_failure = "deny"
//! ```
//!
//! The order of reading matters in one way: what a glob for events takes in depends on the role and
//! the handler, so events are resolved last.

use hookgate_contract::settings::{Node, SettingEntry, Settings};
use hookgate_contract::{BuildContext, ConditionContext, Sections};
use hookgate_contract::{BuiltHandler, Failure, FailureClass, Invocation, Mode, Posture, Role};

use super::canary::{CANARY, read_canaries};
use super::conditions::read_conditions;
use super::events::{read_events, resolve_globs};
use super::execution::Execution;
use super::foreign::{failing_results, is_foreign, speaks_dialect, warn_of_foreign_events};
use super::handler::{ReadHandler, handler_settings, read_handler};
use super::locate::{span_below, span_of_problem};
use super::misuse::{ReadHook, check_use};
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::text_files;
use crate::matcher::{MatchSpec, advice};
use crate::table::{BuildProblem, Hook, HookSpec, Origin, Unread, override_key};

/// The names of postures.
const POSTURES: [&str; 3] = ["deny", "ask", "allow"];

/// Reads a hook. One without an id is named after its line, and one whose handler cannot be built
/// gets a handler that fails: the table is checked with them, so that their other mistakes are
/// found as well.
pub(super) fn read_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    context: &BuildContext<'_>,
    sections: &Sections,
) -> HookSpec {
    let expanded = text_files::expand(reader, node, context.base);
    let (node, text_files) = match &expanded {
        Some((node, files)) => (node, files.as_slice()),
        None => (node, &[][..]),
    };
    let mut settings = Settings::new(node);
    let id = settings.required_text("id").map(str::to_owned);
    let events = read_events(reader, &mut settings);
    let named = events.named();
    let context = context.of_hook(id.as_deref().unwrap_or_default()).at(&named);
    let of_conditions = ConditionContext::new(context.base).of_hook(context.hook).at(&named);
    let of_conditions = of_conditions.in_layer(reader.layer).with_sections(sections);
    let conditions = read_conditions(reader, &mut settings, &of_conditions);
    check_conditions(reader, node, id.as_deref().unwrap_or_default(), &conditions);
    let handler = read_handler(reader, &mut settings, &context);

    let role = settings.choice("role", &["observe", "guard", "rewrite"], Role::from_name);
    let on_failure = settings.choice("on_failure", &POSTURES, Posture::from_name);
    let options = Options::read(&mut settings);
    let execution = Execution::read(reader, &mut settings);
    let canaries = settings.node(CANARY);
    if options.on_failure_of.contains(&(FailureClass::Unclear, Posture::Allow)) {
        reader.warn(settings.span_of("on_unclear"), ConfigProblem::UnclearAllowed);
    }
    let foreign = handler.as_ref().is_some_and(|handler| is_foreign(&handler.kind));
    if foreign && !speaks_dialect(&settings) {
        warn_of_foreign_events(reader, &mut settings);
    }
    let span = settings.span();
    let keys = settings.entries().iter();
    let located = |entry: &SettingEntry| {
        let place = reader.source.place(entry.key_span.clone());
        let position = reader.source.locate(place.start);
        (entry.key.clone(), (place, position))
    };
    let keys = keys.map(located).collect();
    let line = reader.source.line(span.start);
    let place = reader.source.place(span.clone());
    let origin = Origin::file(reader.layer, reader.source.name(), line, place, keys);
    reader.finish(settings);

    let role_unread = role.is_none() && handler.is_none();
    let ReadHandler { kind, mut built, shared } = handler.unwrap_or_else(unbuilt);
    let known_role = role.or(built.role);
    let (events, events_read) =
        resolve_globs(reader, events, known_role, built.supports, &conditions);
    let canaries = read_canaries(reader, canaries, events_read.then_some(&*events));
    if foreign && role.is_none() && on_failure.is_none() {
        built.notes.extend(failing_results(&events));
    }
    let looks_into_values = !(conditions.input.is_empty() && conditions.payload.is_empty());
    let failures: Vec<_> = options.on_failure_of.iter().map(|(class, _)| *class).collect();
    let read = ReadHook {
        node,
        role,
        merge: options.merge,
        kind: &kind,
        built: &built,
        events: &events,
        failures: &failures,
        looks_into_values,
    };
    check_use(reader, &read);
    let id = id.unwrap_or_else(|| format!("line-{line}"));
    let (shared, settings_of_handler) = match shared {
        Some((name, settings)) => (Some(name), settings),
        None => (None, handler_settings(node, &kind)),
    };
    built.sources.extend_from_slice(text_files);
    let mut hook = Hook::new(id, kind, built)
        .event_selectors(events)
        .matching(conditions)
        .settings(settings_of_handler)
        .shared_handler(shared)
        .read_from(
            origin.read_at(span),
            Unread { role: role_unread, events: !events_read, set_aside: false },
        );
    if let Some(role) = role {
        hook = hook.role(role);
    }
    if let Some(posture) = on_failure {
        hook = hook.on_failure(posture);
    }
    let hook = canaries.into_iter().fold(hook, Hook::canary);
    execution.apply(options.apply(hook)).build().with_execution_noted()
}

/// Reports conditions that no step meets, and warns of those that were hardly meant.
fn check_conditions(reader: &mut Reader<'_>, hook: &Node, id: &str, conditions: &MatchSpec) {
    let impossible = conditions.contradictions().into_iter().chain(conditions.impossible_tools());
    for (key, error) in impossible {
        let problem = BuildProblem::Match(error);
        let span = span_of_problem(hook, key, &problem).unwrap_or_default();
        reader.error(span, ConfigProblem::Build { hook: id.to_owned(), problem });
    }
    for advice in advice(conditions) {
        let span = span_below(hook, advice.key, &advice.about).unwrap_or_default();
        reader.warn(span, ConfigProblem::Condition(advice.text));
    }
}

/// The settings of a hook that concern neither its events nor its handler.
struct Options<'a> {
    mode: Mode,
    priority: i64,
    after: Vec<&'a str>,
    before: Vec<&'a str>,
    tags: Vec<&'a str>,
    timeout: Option<std::time::Duration>,
    on_failure_of: Vec<(FailureClass, Posture)>,
    merge: bool,
    may_allow: bool,
    pure: bool,
}

impl<'a> Options<'a> {
    fn read(settings: &mut Settings<'a>) -> Self {
        let modes = ["enforce", "warn", "shadow", "off"];
        Self {
            mode: settings.choice("mode", &modes, Mode::from_name).unwrap_or_default(),
            priority: settings.integer("priority").unwrap_or(100),
            after: settings.one_or_more("after").unwrap_or_default(),
            before: settings.one_or_more("before").unwrap_or_default(),
            tags: settings.one_or_more("tags").unwrap_or_default(),
            timeout: settings.duration("timeout"),
            on_failure_of: FailureClass::ALL
                .into_iter()
                .filter_map(|class| {
                    let key = override_key(class);
                    Some((class, settings.choice(key, &POSTURES, Posture::from_name)?))
                })
                .collect(),
            merge: settings.flag("merge").unwrap_or_default(),
            may_allow: settings.flag("may_allow").unwrap_or_default(),
            pure: settings.flag("pure").unwrap_or_default(),
        }
    }

    fn apply(self, hook: Hook) -> Hook {
        let mut hook = hook
            .mode(self.mode)
            .priority(self.priority)
            .merge(self.merge)
            .may_allow(self.may_allow)
            .pure(self.pure);
        if let Some(timeout) = self.timeout {
            hook = hook.timeout(timeout);
        }
        for (class, posture) in self.on_failure_of {
            hook = hook.on_failure_of(class, posture);
        }
        hook = self.after.into_iter().fold(hook, Hook::after);
        hook = self.before.into_iter().fold(hook, Hook::before);
        self.tags.into_iter().fold(hook, Hook::tag)
    }
}

/// Returns a handler for a hook whose own could not be built. It is never called, since the file is
/// refused.
fn unbuilt() -> ReadHandler {
    let failed = |_: Invocation<'_>| Err(Failure::new(FailureClass::Spawn, "it was not built"));
    let built = BuiltHandler::from_sync(failed);
    ReadHandler { kind: String::new(), built, shared: None }
}
