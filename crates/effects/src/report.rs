//! Effects as one JSON object, for people and programs.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::effects::{Effects, HostEffect, PathEffect, Unclear, UnclearWhat, VariableEffect};
use crate::programs::{Trial, read, status_counts, trial};
use crate::pushes::{PushEffect, PushedRefs};
use crate::run::{CodeFrom, Origin, Place, Run};
use crate::word::Word;

/// The effects of a call, to be written as JSON. What is not known of a word is shown as it was
/// written, and facts that are as usual are left out.
#[derive(Debug, Clone, Serialize)]
pub struct EffectsReport<'a> {
    tool_name: &'a str,
    /// What the text itself names as a program to run here.
    runs: Vec<RunOut<'a>>,
    reads: Vec<PathOut<'a>>,
    writes: Vec<PathOut<'a>>,
    deletes: Vec<PathOut<'a>>,
    connects: Vec<HostOut<'a>>,
    unclear: Vec<UnclearOut<'a>>,
    /// The variables whose values are shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shows_env: Vec<VariableOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pushes: Vec<PushOut>,
    /// What runs on another machine or in a container.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remote_runs: Vec<RunOut<'a>>,
    /// What other programs run because of an option or a variable, or as task runners.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indirect_runs: Vec<RunOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<PathOut<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more_programs: bool,
}

#[derive(Debug, Clone, Serialize)]
struct RunOut<'a> {
    /// The name without its folder.
    program: String,
    /// The program as it is written, if that is more than the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    args: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more_args: bool,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    env: Pairs<'a>,
    via: &'a [String],
    /// The folder, if it is not that of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    renamed: bool,
    /// Set if success of the call does not say that the program succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// Whether it only tries or tells: `--dry-run`, `--help`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trial: bool,
}

#[derive(Debug, Clone, Serialize)]
struct PathOut<'a> {
    path: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    below: bool,
    /// Whether what is read is shown; left out unless it is only used or listed.
    #[serde(skip_serializing_if = "is_true")]
    shown: bool,
    by: &'a str,
}

#[derive(Debug, Clone, Serialize)]
struct VariableOut<'a> {
    /// The name, `*` for all of them.
    name: &'a str,
    by: &'a str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_true(shown: &bool) -> bool {
    *shown
}

#[derive(Debug, Clone, Serialize)]
struct HostOut<'a> {
    host: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    by: &'a str,
}

/// One ref that a push changes.
#[derive(Debug, Clone, Serialize)]
struct PushOut {
    remote: String,
    to: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    force: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    delete: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    perhaps: bool,
}

#[derive(Debug, Clone, Serialize)]
struct UnclearOut<'a> {
    what: &'static str,
    why: Cow<'a, str>,
}

/// Variables as an object, in their order.
#[derive(Debug, Clone)]
struct Pairs<'a>(&'a [(String, Word)]);

impl Pairs<'_> {
    const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, &value.written())?;
        }
        map.end()
    }
}

impl Effects {
    /// Returns the effects of a call of a tool in their JSON form. The folder of the session is what
    /// the folders of programs are compared with.
    ///
    /// ```
    /// use hookgate_effects::{Effects, Manifests, Surroundings};
    /// use serde_json::json;
    ///
    /// let input = json!({"url": "https://docs.rs/x"});
    /// let manifests = Manifests::default();
    /// let effects = Effects::of_call("WebFetch", &input, &Surroundings::default(), &manifests);
    /// assert_eq!(
    ///     serde_json::to_string(&effects.report("WebFetch", None))?,
    ///     r#"{"tool_name":"WebFetch","runs":[],"reads":[],"writes":[],"deletes":[],"connects":[{"host":"docs.rs","port":443,"by":"WebFetch"}],"unclear":[]}"#,
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn report<'a>(&'a self, tool_name: &'a str, cwd: Option<&str>) -> EffectsReport<'a> {
        // A later round of a loop says nothing new of its program; its paths are in the other lists.
        let shown = |run: &&Run| run.origin != Origin::Round;
        let runs = |place: Place, origin: Origin| {
            let is_one = |run: &&Run| run.place == place && run.origin == origin;
            self.runs.iter().filter(is_one).map(|run| run_out(run, cwd)).collect()
        };
        let remote = self.runs.iter().filter(shown).filter(|run| run.place == Place::Remote);
        let unclear = self.unclear.iter().map(unclear_out).chain(self.unseen().map(unseen_out));
        EffectsReport {
            tool_name,
            runs: runs(Place::Local, Origin::Text),
            reads: self.reads.iter().map(path_out).collect(),
            writes: self.writes.iter().map(path_out).collect(),
            deletes: self.deletes.iter().map(path_out).collect(),
            connects: self.connects.iter().map(host_out).collect(),
            unclear: unclear.collect(),
            shows_env: self.shows_env.iter().map(variable_out).collect(),
            pushes: self.pushes.iter().flat_map(pushes_out).collect(),
            remote_runs: remote.map(|run| run_out(run, cwd)).collect(),
            indirect_runs: runs(Place::Local, Origin::Carried),
            mentions: self.mentions.iter().map(path_out).collect(),
            more_programs: self.more_programs,
        }
    }

    /// Why other programs may run, if nothing in [`Effects::unclear`] says so.
    fn unseen(&self) -> impl Iterator<Item = String> {
        let is_said = self
            .unclear
            .iter()
            .any(|one| matches!(one.what, UnclearWhat::Anything | UnclearWhat::Program));
        let is_silent = self.more_programs && !is_said;
        let scripts = self.runs.iter().filter_map(|run| run.script.as_ref());
        let mut whys: Vec<String> = scripts
            .filter(|_| is_silent)
            .map(|script| format!("what `{}` runs is not seen", script.written()))
            .collect();
        whys.dedup();
        if is_silent && whys.is_empty() {
            let mut code = self.runs.iter().filter(|run| run.code.is_some() || run.more_args);
            let name = code.next_back().or(self.runs.last()).map(|run| run.program.written());
            let name = name.map_or_else(|| "the command".to_owned(), |name| format!("`{name}`"));
            whys.push(format!("what {name} runs is not seen"));
        }
        whys.into_iter()
    }
}

fn run_out<'a>(run: &'a Run, cwd: Option<&str>) -> RunOut<'a> {
    let written = run.program.written();
    let program = run.name().map_or_else(|| written.clone(), Cow::into_owned);
    RunOut {
        path: (written != program).then_some(written),
        program,
        args: run.args.iter().map(Word::written).collect(),
        more_args: run.more_args,
        env: Pairs(&run.env),
        via: &run.via,
        cwd: run.cwd.as_deref().filter(|folder| Some(*folder) != cwd),
        code_from: run.code_from.map(|from| match from {
            CodeFrom::Network => "network",
            CodeFrom::Decoded => "decoded",
            CodeFrom::Stdin => "stdin",
        }),
        script: run.script.as_ref().map(Word::written),
        renamed: run.renamed,
        status: (!status_counts(run)).then_some("thrown away"),
        trial: trial(&read(run), run) != Trial::No,
    }
}

fn path_out(effect: &PathEffect) -> PathOut<'_> {
    PathOut {
        path: effect.path.written(),
        below: effect.below,
        shown: effect.shown,
        by: &effect.by,
    }
}

fn variable_out(effect: &VariableEffect) -> VariableOut<'_> {
    VariableOut { name: effect.name.as_deref().unwrap_or("*"), by: &effect.by }
}

fn host_out(effect: &HostEffect) -> HostOut<'_> {
    HostOut { host: effect.host.written(), port: effect.port, by: &effect.by }
}

fn pushes_out(push: &PushEffect) -> impl Iterator<Item = PushOut> {
    let remote = push.remotes.first().map(Word::written).unwrap_or_default();
    push.updates.iter().map(move |update| PushOut {
        remote: remote.clone(),
        to: match &update.to {
            PushedRefs::Branch(name) => format!("refs/heads/{}", name.written()),
            PushedRefs::Ref(name) => name.written(),
            PushedRefs::All => "refs/*".to_owned(),
            PushedRefs::Unknown(why) => why.clone(),
        },
        force: update.force,
        delete: update.delete,
        perhaps: !update.sure,
    })
}

fn unclear_out(unclear: &Unclear) -> UnclearOut<'_> {
    UnclearOut { what: unclear.what.name(), why: Cow::Borrowed(&unclear.why) }
}

fn unseen_out<'a>(why: String) -> UnclearOut<'a> {
    UnclearOut { what: UnclearWhat::Program.name(), why: Cow::Owned(why) }
}

impl UnclearWhat {
    /// Returns the name in the JSON form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anything => "anything",
            Self::Program => "program",
            Self::Words => "words",
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Deletes => "deletes",
            Self::Connects => "connects",
        }
    }
}
