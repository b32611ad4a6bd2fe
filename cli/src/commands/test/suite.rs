//! A test file: its cases, and what is wrong with it.

use std::path::Path;
use std::time::SystemTime;

use hookgate::HandlerTable;
use hookgate::contract::json::Integers;
use hookgate::contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};

use super::step::{Inherited, Known, TestStep, read_object, read_step, read_substitutes};
use super::text::Text;
use crate::input::now;

/// The ids under which the engine itself decides.
const ENGINE: [&str; 2] = ["hookgate", "require"];

/// A test file that was read.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) text: Text,
    pub(super) cases: Vec<Case>,
}

/// One case.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// Why it is not run.
    pub(super) skip: Option<String>,
    /// Why it is known to fail.
    pub(super) todo: Option<String>,
    /// What time it is in it.
    pub(super) now: Option<SystemTime>,
    /// The steps of one session; at least one.
    pub(super) steps: Vec<TestStep>,
}

/// Reads a test file for the hooks of tables; what is wrong with it is printed, and gives `None`.
pub(super) fn read(path: &Path, tables: &[&HandlerTable]) -> Option<Suite> {
    let text = Text::read(path)?;
    let root = text.values()?;
    let specs = tables.iter().flat_map(|table| table.specs());
    let hooks: Vec<&str> = specs.map(|spec| spec.id().as_str()).collect();
    let mut deciders = hooks.clone();
    deciders.extend(ENGINE);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let integers = tables.first().map_or(Integers::default(), |table| table.limits().integers);
    let known = Known { hooks, deciders, integers, folder };
    let (cases, mistakes) = read_cases(&root, &known, &text);
    for mistake in &mistakes {
        text.report(mistake.span.start, &mistake.to_string());
    }
    mistakes.is_empty().then_some(Suite { text, cases })
}

fn read_cases(root: &Node, known: &Known<'_>, text: &Text) -> (Vec<Case>, Vec<SettingError>) {
    let mut settings = Settings::new(root);
    let inherited = Inherited {
        event: settings.text("event").map(str::to_owned),
        fields: read_object(&mut settings, "defaults").unwrap_or_default(),
        ..Inherited::default()
    };
    let now = read_now(&mut settings);
    let mut cases: Vec<Case> = Vec::new();
    let nodes = match settings.node("case").map(|node| &node.value) {
        Some(NodeValue::List(nodes)) => nodes.as_slice(),
        Some(_) => {
            settings.invalid("case", "cases are written as `[[case]]`, with two brackets");
            &[]
        }
        None => &[],
    };
    for node in nodes {
        let mut of_case = Settings::new(node);
        let (line, _) = text.position(node.span.start);
        let mut case = read_case(&mut of_case, known, inherited.clone(), line);
        case.now = case.now.or(now);
        if let Some(other) =
            cases.iter().find(|other| other.name == case.name && !case.name.is_empty())
        {
            of_case.invalid("name", format!("the case on line {} has this name, too", other.line));
        }
        settings.absorb(of_case.finish());
        cases.push(case);
    }
    (cases, settings.finish())
}

fn read_case(
    settings: &mut Settings<'_>,
    known: &Known<'_>,
    mut inherited: Inherited,
    line: usize,
) -> Case {
    let name = settings.required_text("name").unwrap_or_default().to_owned();
    let skip = read_mark(settings, "skip");
    let todo = read_mark(settings, "todo");
    let now = read_now(settings);
    let mut steps = Vec::new();
    match settings.node("steps").map(|node| &node.value) {
        None => steps.extend(read_step(settings, known, &inherited)),
        Some(NodeValue::List(nodes)) => {
            if let Some(event) = settings.text("event") {
                inherited.event = Some(event.to_owned());
            }
            inherited.substitutes = read_substitutes(settings, known);
            for node in nodes {
                let mut of_step = Settings::new(node);
                steps.extend(read_step(&mut of_step, known, &inherited));
                settings.absorb(of_step.finish());
            }
        }
        Some(_) => settings.invalid("steps", "the steps of a session are an array of tables"),
    }
    if !settings.has_errors() && steps.iter().all(|step| step.expected.is_empty()) {
        let problem = "it expects nothing, so it cannot fail: add `decision = \"deny\"`, or what else \
                       is expected";
        settings.absorb([SettingError {
            span: settings.span_of("name"),
            problem: SettingProblem::Invalid { key: name.clone(), problem: problem.to_owned() },
        }]);
    }
    Case { name, line, skip, todo, now, steps }
}

/// Reads a mark: `true`, or a text that says why.
fn read_mark(settings: &mut Settings<'_>, key: &'static str) -> Option<String> {
    match settings.node(key).map(|node| &node.value) {
        Some(NodeValue::Text(why)) => Some(why.clone()),
        Some(NodeValue::Flag(true)) => Some(String::new()),
        Some(NodeValue::Flag(false)) | None => None,
        Some(_) => {
            settings.invalid(key, "true, or a text that says why");
            None
        }
    }
}

fn read_now(settings: &mut Settings<'_>) -> Option<SystemTime> {
    let text = settings.text("now")?;
    now::read(text).map_err(|problem| settings.invalid("now", problem)).ok()
}
