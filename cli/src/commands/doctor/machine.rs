//! Looks at what hookgate itself has here: its program, and the configs that count in this folder.

use std::path::{Path, PathBuf};

use hookgate::Registry;
use hookgate::table::{HookSpec, Layer};
use serde::Serialize;

use super::report::{Finding, Level};
use super::{policy, project};
use crate::certified;
use crate::config::{ConfigArgs, Configs, NOT_FOUND, registry};
use crate::sources::{PassedOver, Search, Source};
use crate::state_folder::state_folder;
use crate::terminal::phrase::count;

/// What was found about hookgate itself.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "machine")]
pub(super) struct MachineReport {
    /// The version.
    pub(super) version: &'static str,
    /// The program that runs.
    pub(super) program: Option<PathBuf>,
    /// Where marks, counts and the list of trusted projects are kept.
    pub(super) state: Option<PathBuf>,
    /// The configs that are here, those that bind most first.
    pub(super) configs: Vec<Config>,
    /// What is wrong.
    pub(super) findings: Vec<Finding>,
}

/// A config.
#[derive(Debug, Serialize)]
pub(super) struct Config {
    /// Its layer.
    pub(super) layer: Layer,
    /// The file.
    pub(super) path: PathBuf,
    /// How many hooks it has; `None` if it cannot be read.
    pub(super) hooks: Option<usize>,
}

impl MachineReport {
    /// Tells whether something is wrong at this level.
    pub(super) fn has(&self, level: Level) -> bool {
        self.findings.iter().any(|finding| finding.level == level)
    }
}

/// Looks at the configs for a session in a folder.
pub(super) fn look(folder: &Path) -> MachineReport {
    let mut report = MachineReport {
        version: env!("CARGO_PKG_VERSION"),
        program: std::env::current_exe().ok(),
        state: state_folder(),
        configs: Vec::new(),
        findings: Vec::new(),
    };
    if report.state.is_none() {
        let about = "neither HOME nor XDG_STATE_HOME is set: hooks with a memory fail";
        report.findings.push(Finding::doubt(about, "set HOME"));
    }
    let search = Search::new(&[], folder);
    report.findings.extend(passed_over(&search));
    let Ok(configs) = ConfigArgs::default().find() else {
        let places = search.phrase();
        let cure = format!("`hookgate init` writes a config to start from; looked for {places}");
        report.findings.push(Finding::doubt(format!("{NOT_FOUND} for this folder"), cure));
        return report;
    };
    let registry = registry();
    for source in configs.sources() {
        let (config, findings) = config(&configs, source, &registry);
        report.configs.push(config);
        report.findings.extend(findings);
    }
    report.findings.extend(dead(&configs, &registry));
    report.findings.extend(policy::changeable(&[]));
    report.findings.extend(policy::check(&[], None));
    report.findings.extend(project::check(folder));
    report
}

/// Finds files that are nearly configs, and are not read.
pub(super) fn passed_over(search: &Search) -> Vec<Finding> {
    let found = search.passed_over();
    let finding = |found: &PassedOver| {
        let about = "this file is not read, so no hook in it is in force";
        Finding::doubt(about, &found.cure).of(&found.path)
    };
    found.iter().map(finding).collect()
}

fn config(configs: &Configs, source: &Source, registry: &Registry) -> (Config, Vec<Finding>) {
    let file = &source.file;
    let mut findings = Vec::new();
    let hooks = match configs.read(registry, source) {
        Ok(loaded) => {
            findings.extend(loaded.table().specs().flat_map(missing).map(|found| found.of(file)));
            Some(loaded.table().len())
        }
        Err(errors) => {
            let first = errors.errors().first();
            let first = first.map(|error| format!("line {}: {error}", error.line()));
            let about = format!(
                "{} in a config: what they are about is denied in `hookgate hook`. {}",
                count(errors.errors().len(), "mistake"),
                first.unwrap_or_default()
            );
            let cure =
                format!("run `hookgate check -c {}`, which shows all of them", file.display());
            findings.push(Finding::broken(about, cure).of(file));
            None
        }
    };
    (Config { layer: source.layer, path: file.clone(), hooks }, findings)
}

/// Finds the hooks that `[certify]` has found dead.
fn dead(configs: &Configs, registry: &Registry) -> Vec<Finding> {
    let Ok(loaded) = configs.load(registry) else { return Vec::new() };
    let cure = "mend it; `hookgate certify` tells whether it works again";
    let dead = certified::dead(&loaded.table).into_iter();
    dead.map(|why| Finding::broken(format!("{why}, as `[certify]` has found"), cure)).collect()
}

/// Finds the programs of a hook that are not there any more.
fn missing(hook: &HookSpec) -> Vec<Finding> {
    let gone = hook.files().iter().filter(|file| !file.exists());
    gone.map(|file| {
        let about =
            format!("the program `{}` of the hook `{}` is not there", file.display(), hook.id());
        Finding::broken(about, "install it, or correct the hook")
    })
    .collect()
}
