//! The cases, in the order of the page.

use crate::call::Arguments;
use crate::case::{Case, Kind};
use crate::hooks::{About, Act, HookSpec};
use crate::work::{SMALL, Work};

/// Nothing runs.
pub const QUIET: &str = "No hook runs";
/// Hooks run and say nothing.
pub const SILENT: &str = "Hooks run and say nothing";
/// A hook decides.
pub const SPEAKS: &str = "A hook decides or rewrites";
/// Hooks read what they are called about.
pub const READS: &str = "Hooks read the call";
/// Tables are built.
pub const BUILDS: &str = "Tables are built and changed";

/// Returns all cases of the tables.
#[must_use]
pub fn all() -> Vec<Case> {
    let mut cases = quiet();
    cases.extend(silent());
    cases.extend(speaking());
    cases.extend(reading());
    cases.extend(builds());
    cases
}

fn quiet() -> Vec<Case> {
    let mut cases = vec![
        case(
            QUIET,
            "noop",
            "the engine for programs without hooks",
            Kind::Other,
            Work::WithoutHooks,
        )
        .cold(),
        case(QUIET, "zero_hooks", "an engine without hooks", Kind::Silent, dispatch(Vec::new(), 0))
            .cold(),
    ];
    for count in [1, 10] {
        let hooks = numbered(count, |_| About::OtherEvent, Act::Silent);
        let title = format!("{count} at another event");
        cases.push(
            case(QUIET, format!("unarmed_{count}"), title, Kind::Silent, dispatch(hooks, 0)).cold(),
        );
    }
    for (form, about) in FORMS {
        for count in [1, 100, 10_000] {
            let hooks = numbered(count, about, Act::Silent);
            let title = format!("{count} for other tools, {form}");
            let name = format!("no_match_{form}_{count}");
            cases.push(
                case(QUIET, name, title, Kind::Silent, dispatch(hooks, 0)).cold_if(count == 100),
            );
        }
    }
    for (form, about) in FORMS {
        for count in [1, 100, 10_000] {
            let hooks = numbered(count, about, Act::Silent);
            let title = format!("{count} for other tools, {form}, each call of a new tool");
            let name = format!("fresh_tool_{form}_{count}");
            cases.push(case(QUIET, name, title, Kind::Other, fresh(hooks)));
        }
    }
    cases
}

fn silent() -> Vec<Case> {
    let mut cases = Vec::new();
    for (act, word) in [
        (Act::Silent, "sync"),
        (Act::Ready, "async, ready at once"),
        (Act::Waits, "async, waits once"),
    ] {
        let kind = if act == Act::Silent { Kind::Silent } else { Kind::Speaks };
        for count in [1, 10, 100] {
            let name = format!("{}_{count}", name(act));
            let work = dispatch(numbered(count, every, act), count);
            cases.push(
                case(SILENT, name, format!("{count}, {word}"), kind, work).cold_if(count < 100),
            );
        }
    }
    cases
}

fn speaking() -> Vec<Case> {
    let mut cases = Vec::new();
    for act in [Act::Deny, Act::Allow] {
        let title = if act == Act::Deny { "1 that denies" } else { "1 that allows" };
        let work = dispatch(numbered(1, every, act), 1);
        cases.push(case(SPEAKS, format!("{}_1", name(act)), title, Kind::Speaks, work).cold());
    }
    for count in [1, 10] {
        let title =
            format!("{count} that rewrite{} the arguments", if count == 1 { "s" } else { "" });
        let work = dispatch(numbered(count, every, Act::Rewrite), count);
        cases.push(case(SPEAKS, format!("rewrite_{count}"), title, Kind::Speaks, work).cold());
    }
    cases
}

fn reading() -> Vec<Case> {
    let mut cases = Vec::new();
    for (act, word) in [
        (Act::Typed, "the path among the arguments"),
        (Act::Json, "the call as JSON"),
        (Act::Value, "the call as a `Value`"),
    ] {
        for count in if act == Act::Typed { [1].as_slice() } else { &[1, 10] } {
            for (bytes, size) in
                [(64, "64 B"), (200, "200 B"), (4 << 10, "4 KB"), (256 << 10, "256 KB")]
            {
                let name = format!("{}_{count}_{}", name(act), size.replace(' ', ""));
                let title = format!("{count}: {word}, {size}");
                let work = read(act, *count, Arguments::Fields(bytes));
                let kind = if act == Act::Typed { Kind::Silent } else { Kind::Speaks };
                cases.push(case(READS, name, title, kind, work).cold_if(bytes == 200));
            }
        }
        if act == Act::Json {
            for (bytes, size) in [(4 << 10, "4 KB"), (256 << 10, "256 KB")] {
                let name = format!("{}_1_text_{}", name(act), size.replace(' ', ""));
                let title = format!("1: {word}, {size} in one text");
                let work = read(act, 1, Arguments::Text(bytes));
                cases.push(case(READS, name, title, Kind::Speaks, work));
            }
        }
    }
    cases
}

/// Hooks read a call. Large ones are made before the time that counts.
fn read(act: Act, hooks: u32, arguments: Arguments) -> Work {
    let before = arguments.bytes() >= 1 << 10;
    let runs = u64::from(hooks);
    Work::Dispatch { hooks: numbered(hooks, every, act), runs, arguments, fresh: false, before }
}

fn builds() -> Vec<Case> {
    let mut cases = Vec::new();
    for (form, about) in FORMS_AND_ALL {
        for count in [10, 1_000] {
            let work = Work::Swap { hooks: numbered(count, about, Act::Silent) };
            let title = format!("{count} built and put in force, {form}");
            cases.push(case(BUILDS, format!("swap_{form}_{count}"), title, Kind::Builds, work));
        }
    }
    for (form, about) in FORMS_AND_ALL {
        let work = Work::Replace { hooks: numbered(1_000, about, Act::Silent) };
        let title = format!("one of 1000 replaced, {form}");
        cases.push(case(BUILDS, format!("replace_{form}_1000"), title, Kind::Builds, work));
    }
    for (form, about) in FORMS_AND_ALL {
        let work = Work::SwapAndCall { hooks: numbered(10, about, Act::Silent) };
        let title = format!("10 built and put in force, then the first call, {form}");
        // All of them run where they are about all tools.
        cases.push(case(BUILDS, format!("first_call_{form}_10"), title, Kind::Builds, work));
    }
    cases
}

/// How hooks name their tools: a word for it, and the name for each number.
type Form = (&'static str, fn(u32) -> About);

/// How hooks name their tools, so that none of them is [`crate::call::TOOL`].
const FORMS: [Form; 2] = [("exact", exact), ("globs", glob)];

/// As [`FORMS`], and hooks for every tool, which all systems have.
const FORMS_AND_ALL: [Form; 3] = [("exact", exact), ("globs", glob), ("every", every)];

/// Returns a hook's name of one other tool.
pub fn exact(index: u32) -> About {
    About::Tool(format!("tool_{index}"))
}

/// Returns a hook's glob for the tools of one other server.
pub fn glob(index: u32) -> About {
    About::Glob(format!("mcp__server_{index}__*"))
}

/// Returns what a hook for all tools is about.
pub fn every(_: u32) -> About {
    About::Every
}

/// Returns what one of the hooks is about of which each is at another event, the first at that of the call.
pub fn one_each(index: u32) -> About {
    index.checked_sub(1).map_or(About::Every, About::NumberedEvent)
}

/// Returns so many hooks that do the same.
pub fn numbered(count: u32, about: impl Fn(u32) -> About, act: Act) -> Vec<HookSpec> {
    (0..count).map(|index| HookSpec::new(format!("hook-{index}"), about(index), act)).collect()
}

/// Returns the evaluation of a small call by hooks of which so many run.
pub fn dispatch(hooks: Vec<HookSpec>, runs: u32) -> Work {
    Work::Dispatch { hooks, runs: u64::from(runs), arguments: SMALL, fresh: false, before: false }
}

fn fresh(hooks: Vec<HookSpec>) -> Work {
    Work::Dispatch { hooks, runs: 0, arguments: SMALL, fresh: true, before: false }
}

fn name(act: Act) -> String {
    format!("{act:?}").to_lowercase()
}

fn case(
    group: &'static str,
    name: impl Into<String>,
    title: impl Into<String>,
    kind: Kind,
    work: Work,
) -> Case {
    let counted =
        work.hooks() <= 1_000 || matches!(kind, Kind::Silent | Kind::Other) && !has_globs(&work);
    Case { name: name.into(), title: title.into(), group, kind, work, cold: false, counted }
}

fn has_globs(work: &Work) -> bool {
    matches!(work, Work::Dispatch { hooks, .. } if hooks.iter().any(|hook| matches!(hook.about, About::Glob(_))))
}

impl Case {
    fn cold(self) -> Self {
        self.cold_if(true)
    }

    fn cold_if(self, cold: bool) -> Self {
        Self { cold, ..self }
    }
}
