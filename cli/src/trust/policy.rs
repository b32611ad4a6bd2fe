//! What the administrator of the machine says of trust: `[trust]` in the managed config.
//!
//! ```toml
//! [trust]
//! users = false                      # only what is named here is trusted; true by default
//! paths = ["/srv/checkouts"]         # projects in these folders are trusted without a question
//! hashes = ["sha256:…"]              # so are these contents, wherever they are
//! ```

use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, LoadedFile, Loader};
use hookgate::table::Layer;
use serde_json::Value;

use crate::sources::{Search, Source};
use crate::trust_section::NAME;
use crate::{foreign, kinds};

/// What the administrator says of trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Whether users may say which projects they trust.
    users: bool,
    paths: Vec<PathBuf>,
    hashes: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Self { users: true, paths: Vec::new(), hashes: Vec::new() }
    }
}

impl Policy {
    /// Returns what several files say together: what one of them takes from users is taken.
    pub(crate) fn of<'f>(files: impl IntoIterator<Item = (&'f Source, &'f LoadedFile)>) -> Self {
        let mut policy = Self::default();
        let managed = files.into_iter().filter(|(source, _)| source.layer == Layer::Managed);
        for (_, file) in managed {
            policy.add(file.table().section(NAME));
            file.included().iter().for_each(|below| policy.add(below.table.section(NAME)));
        }
        policy
    }

    /// Returns that of this machine. If its config cannot be loaded, users can trust nothing: which projects
    /// they may trust is not known then, and none of their hooks is called anyway.
    pub(crate) fn of_machine() -> Self {
        match managed_files() {
            Ok(files) => Self::of(files.iter().map(|(source, file)| (source, file))),
            Err(_) => Self { users: false, ..Self::default() },
        }
    }

    fn add(&mut self, section: Option<&Value>) {
        let Some(section) = section else { return };
        let texts = |key: &str| -> Vec<String> {
            let listed = section.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
            let one = section.get(key).and_then(Value::as_str).map(str::to_owned);
            let all = listed.iter().filter_map(Value::as_str).map(str::to_owned);
            all.chain(one).collect()
        };
        self.users &= section.get("users").and_then(Value::as_bool).unwrap_or(true);
        self.paths.extend(texts("paths").into_iter().map(PathBuf::from));
        self.hashes.extend(texts("hashes"));
    }

    /// Tells whether users may trust projects.
    pub(super) const fn leaves_it_to_users(&self) -> bool {
        self.users
    }

    /// Tells whether a project may be trusted whatever its user has said.
    pub(super) fn names_some(&self, root: &Path) -> bool {
        self.names_path(root) || !self.hashes.is_empty()
    }

    /// Tells whether a content is trusted.
    pub(super) fn names(&self, root: &Path, hash: &str) -> bool {
        self.names_path(root) || self.hashes.iter().any(|named| named == hash)
    }

    /// The folder of a project has no links in its path; that of the config may.
    fn names_path(&self, root: &Path) -> bool {
        let is_above =
            |folder: &PathBuf| folder.canonicalize().is_ok_and(|real| root.starts_with(real));
        self.paths.iter().any(is_above)
    }
}

/// Loads the configs of the machine, which starts nothing.
///
/// # Errors
/// One of them has mistakes.
fn managed_files() -> Result<Vec<(Source, LoadedFile)>, ConfigErrors> {
    let registry = kinds::registry();
    let read = |source: Source| {
        let loader = Loader::new(&registry).allow_unverified().layer(source.layer);
        let file = foreign::read_text(loader, &source.file, &source.read()?, false)?;
        Ok((source, file))
    };
    Search::managed().into_iter().map(read).collect()
}
