//! What is doubtful about a table although every hook of it is right by itself.
//!
//! A table is checked when it is built: a hook that makes no sense is refused. What is found here needs
//! more than one hook, or is right and hardly meant: a hook that never runs because another one always
//! decides before it, a guard that observes, two rewriters that undo each other, hooks that together take
//! longer than an agent waits. Nothing is called; what cannot be told from the hooks alone is not said.
//!
//! Each finding has a stable [code](FindingCode), a place in the file and what to do. Beside the findings
//! the analysis estimates how long a step of each event can take ([`Latency`]).
//!
//! It is a part of the engine and not of the command line: it reads what a compiled table knows (groups,
//! deadlines, patterns), and editors and runtimes can use it. It costs a table nothing that is not asked.
//!
//! ```
//! use hookgate::analysis::{FindingCode, Options};
//! use hookgate::contract::{BuiltHandler, Role};
//! use hookgate::{Event, HandlerTable, Hook};
//! # #[cfg(feature = "builtin")] {
//! let registry = hookgate::Registry::from_iter([hookgate::builtin::kind()]);
//! let text = r#"
//! [[hook]]
//! id = "no-shell"
//! event = "pre_tool_use"
//! role = "observe"
//! tool = "Bash"
//! builtin = { name = "deny", reason = "no shell here" }
//! "#;
//! let table = hookgate::config::Loader::new(&registry).parse("hooks.toml", text, ".".as_ref())?.table;
//!
//! let analysis = table.analyze(&Options::new());
//! let finding = &analysis.findings[0];
//! assert_eq!(finding.code, FindingCode::ObserverDecides);
//! assert_eq!((finding.file.as_deref(), finding.line, finding.column), (Some("hooks.toml"), 5, 1));
//! # }
//! # Ok::<(), hookgate::config::ConfigErrors>(())
//! ```

mod dead;
mod excluded;
mod finding;
mod latency;
mod observers;
mod options;
mod postures;
mod rewriters;
mod shadowed;
mod tools;
mod unreachable;

use std::time::Duration;

use crate::table::{HandlerTable, HookSpec, Listed};
pub use finding::{Finding, FindingCode, Severity};
pub use latency::Latency;
pub use options::{ListedTool, Options};

/// What was found in a table.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Analysis {
    /// What is doubtful, in the order of the file.
    pub findings: Vec<Finding>,
    /// How long a step can take, for each event whose hooks wait for anything.
    pub latency: Vec<Latency>,
    /// What the latencies are compared with.
    #[serde(serialize_with = "milliseconds", rename = "longest_ms")]
    pub longest: Duration,
}

/// Writes a duration as a number of milliseconds.
fn milliseconds<S: serde::Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

impl HandlerTable {
    /// Looks for hooks and patterns that no step meets: a part of [`HandlerTable::analyze`] that is quick, and
    /// that no other hook can make right.
    #[must_use]
    pub fn never_met(&self) -> Vec<Finding> {
        let listed: Vec<Listed<'_>> = self.listing().collect();
        let mut findings = unreachable::find(&listed);
        findings.extend(dead::find(&listed));
        findings.extend(self.required_in_vain(&findings));
        findings.sort_by(|a, b| a.place().cmp(&b.place()));
        findings.dedup();
        findings
    }

    /// Tells of hooks that are required, and of which something fits no step: what is required is there, and guards
    /// nothing.
    fn required_in_vain(&self, findings: &[Finding]) -> Vec<Finding> {
        let is_dead = |id: &str| {
            findings.iter().any(|finding| {
                finding.severity == Severity::Warning
                    && finding.hook.as_ref().is_some_and(|hook| hook.as_str() == id)
            })
        };
        let required = self.required_ids().filter(|id| is_dead(id));
        let specs = required.filter_map(|id| self.specs().find(|spec| spec.id().as_str() == id));
        let told = |spec: &HookSpec| {
            let message = format!("`{}` is required, and may be called about no step", spec.id());
            let help = "correct its conditions: `[require]` holds while the hook is there, whether it is called or not";
            Finding::new(FindingCode::DeadPattern, spec, "id", message, help.to_owned())
        };
        specs.map(told).collect()
    }

    /// Looks for what is doubtful about the table. Nothing is called. It costs time that grows with the
    /// square of the hooks of an event.
    #[must_use]
    pub fn analyze(&self, options: &Options) -> Analysis {
        let listed: Vec<Listed<'_>> = self.listing().collect();
        let events: Vec<&[Listed<'_>]> =
            listed.chunk_by(|one, next| one.event == next.event).collect();
        let mut findings = shadowed::find(self);
        findings.extend(unreachable::find(&listed));
        findings.extend(dead::find(&listed));
        findings.extend(self.required_in_vain(&findings));
        findings.extend(observers::find(&listed));
        findings.extend(postures::find(&listed));
        for hooks in &events {
            findings.extend(rewriters::find(hooks));
        }
        findings.extend(tools::find(&listed, options));
        let latency = latency::estimate(self, &events);
        findings.extend(latency::find(self, &listed, &latency, options.longest));
        findings.sort_by(|a, b| a.place().cmp(&b.place()));
        findings.dedup();
        Analysis { findings, latency, longest: options.longest }
    }
}
