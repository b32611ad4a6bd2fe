//! The languages that have an SDK, and a guard in each.

use std::fs;
use std::path::Path;

use super::files::File;

/// The languages that have an SDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Sdk {
    Python,
    Node,
}

/// What belongs to a language.
struct Language {
    /// The SDK.
    sdk: (&'static str, &'static str),
    /// The guard, and what tells that a file is such a guard.
    guard: (&'static str, &'static str),
    uses_sdk: &'static str,
    /// The hook.
    id: &'static str,
    program: &'static str,
}

const PYTHON: Language = Language {
    sdk: ("hookgate.py", hookgate::command::PYTHON_SDK),
    guard: ("guard.py", include_str!("sdk_guard.py")),
    uses_sdk: "hookgate.run(",
    id: "python-guard",
    program: "python3",
};

const NODE: Language = Language {
    sdk: ("hookgate.mjs", hookgate::command::NODE_SDK),
    guard: ("guard.mjs", include_str!("sdk_guard.mjs")),
    uses_sdk: "hookgate.mjs",
    id: "node-guard",
    program: "node",
};

impl Sdk {
    const fn language(self) -> &'static Language {
        match self {
            Self::Python => &PYTHON,
            Self::Node => &NODE,
        }
    }
}

/// A guard that uses an SDK.
pub(super) struct Guard {
    language: &'static Language,
    /// The file.
    pub(super) name: String,
}

impl Guard {
    /// Returns the guard for a folder. If there is a file of its name that does not use the SDK, and
    /// which stays, the guard has another name.
    pub(super) fn new(sdk: Sdk, folder: &Path, replaces: bool) -> Self {
        let language = sdk.language();
        let (name, _) = language.guard;
        let uses_sdk = |text: String| text.contains(language.uses_sdk);
        let is_free = folder.join(name).symlink_metadata().is_err();
        let is_ours = is_free || fs::read_to_string(folder.join(name)).is_ok_and(uses_sdk);
        let name = if replaces || is_ours { name.to_owned() } else { format!("sdk_{name}") };
        Self { language, name }
    }

    /// Returns the SDK and the guard.
    pub(super) fn files(&self) -> [File; 2] {
        let (sdk, text) = self.language.sdk;
        [File::new(sdk, text), File::new(self.name.clone(), self.language.guard.1)]
    }

    /// Returns whether a config names its file, so that it may have the hook.
    pub(super) fn is_named_in(&self, config: &str) -> bool {
        ["\"", "'", "/"].iter().any(|before| {
            ["\"", "'"]
                .iter()
                .any(|after| config.contains(&format!("{before}{}{after}", self.name)))
        })
    }

    /// Returns the hook, as it stands in a config.
    pub(super) fn hook(&self) -> String {
        let Language { id, program, .. } = self.language;
        include_str!("sdk_guard.toml")
            .replace("{id}", id)
            .replace("{program}", program)
            .replace("{file}", &self.name)
    }
}
