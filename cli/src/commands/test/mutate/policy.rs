//! A policy: its files, its cases and what can be changed.

use std::path::{Path, PathBuf};

use hookgate::HandlerTable;
use hookgate::table::Layer;
use regex::Regex;

use super::change::Change;
use super::keep::{self, Keep};
use super::{find, place};
use crate::abort::Abort;
use crate::commands::test::suite::Case;
use crate::commands::test::{find as find_tests, read_suites};
use crate::config::{self, Configs};
use crate::foreign::parse_own;
use hookgate::contract::settings::Node;

/// A policy with its cases.
pub(super) struct Policy {
    pub(super) configs: Configs,
    pub(super) table: HandlerTable,
    pub(super) files: Vec<PolicyFile>,
    /// The cases that run, those of all test files.
    pub(super) cases: Vec<Case>,
    /// All changes, each with the file that it is in.
    pub(super) changes: Vec<(usize, Change)>,
}

/// One of its files.
pub(super) struct PolicyFile {
    pub(super) path: PathBuf,
    pub(super) layer: Layer,
    pub(super) text: String,
    pub(super) root: Node,
    pub(super) keeps: Vec<Keep>,
}

impl Policy {
    /// Reads a policy. `tests` are its test files, if they are not those beside it.
    ///
    /// # Errors
    /// One of its files cannot be used; what is wrong was printed.
    pub(super) fn read(
        configs: Configs,
        tests: &[PathBuf],
        filter: Option<&Regex>,
    ) -> Result<Self, Abort> {
        let registry = config::registry();
        let table = configs.load_and_warn(&registry)?;
        let found = find_tests::find(&configs, tests)?;
        let mut cases = Vec::new();
        for suite in read_suites(&found, &[&table])? {
            let file = super::super::file_of(&suite);
            let is_wanted = |case: &Case| {
                let name = format!("{file}: {}", case.name);
                let matches = filter.is_none_or(|regex| regex.is_match(&name));
                matches && case.skip.is_none() && case.todo.is_none()
            };
            cases.extend(suite.cases.into_iter().filter(is_wanted));
        }
        let mut files = Vec::new();
        for source in configs.sources() {
            let text =
                hookgate::config::read(&source.file).map_err(|errors| configs.invalid(&errors))?;
            let read =
                configs.read(&registry, source).map_err(|errors| configs.invalid(&errors))?;
            if !hookgate_dialects::import::is_foreign(&source.file, &text) {
                files.push(PolicyFile::new(&source.file, source.layer, text));
            }
            // A pack is a policy of its own.
            let own = read.included().into_iter().filter(|file| file.pack.is_none());
            files.extend(
                own.map(|file| PolicyFile::new(file.path, source.layer, file.text.to_owned())),
            );
        }
        let kinds = registry.kinds();
        let changes = files.iter().enumerate().flat_map(|(index, file)| {
            let found = find::changes(&file.root, &file.text, &kinds);
            found.into_iter().map(move |change| (index, change)).collect::<Vec<_>>()
        });
        let changes = changes.collect();
        Ok(Self { configs, table, files, cases, changes })
    }

    /// Returns the file of a change.
    pub(super) fn file(&self, index: usize) -> Option<&PolicyFile> {
        self.files.get(index)
    }
}

impl PolicyFile {
    fn new(path: &Path, layer: Layer, text: String) -> Self {
        let root = parse_own(path, &text);
        let is_toml = path.extension().is_none_or(|ending| ending == "toml");
        let keeps = if is_toml { keep::find(&text, &root) } else { Vec::new() };
        Self { path: path.to_owned(), layer, text, root, keeps }
    }

    /// Returns the explanation of a change at a place.
    pub(super) fn keep_at(&self, at: usize) -> Option<&Keep> {
        self.keeps.iter().find(|keep| keep.because.is_some() && keep.lines.contains(&at))
    }

    /// Returns the file, line and column of an offset.
    pub(super) fn place(&self, at: usize) -> (String, usize, usize) {
        place(&self.path, &self.text, at)
    }
}
