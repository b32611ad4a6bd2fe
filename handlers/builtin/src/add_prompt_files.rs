//! `add_prompt_files`: instructions that lie in the project, for the model.

use std::collections::VecDeque;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;
use crate::folder::session_folder;
use crate::supports::takes_context;

const FILES: &[&str] = &["AGENTS.md"];

const MAX_BYTES: usize = 32 * 1024;

/// How many nested files are named, and how many folders are looked into for them.
const MOST_NESTED: usize = 100;
const MOST_FOLDERS: usize = 2_000;

/// Folders that hold what others have written.
const SKIPPED: &[&str] = &["node_modules", "target", "vendor", "dist", "build", "venv"];

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_prompt_files",
    role: Role::Guard,
    about: "adds instruction files such as AGENTS.md for the model",
    supports: Some(takes_context),
    settings: &[
        SettingDoc::optional("files", SettingType::OneOrMoreTexts, "the names of the files")
            .default(r#"["AGENTS.md"]"#),
        SettingDoc::optional(
            "depth",
            SettingType::Integer(0, 8),
            "how deep below the folder others are looked for, which are only named",
        )
        .default("0"),
        SettingDoc::optional(
            "max_bytes",
            SettingType::Size,
            "how much of each file is added; the rest is cut off",
        )
        .default("\"32KiB\""),
    ],
    example: r#"[[hook]]
id = "instructions"
event = "turn_start"
builtin = { name = "add_prompt_files", files = ["AGENTS.md", "docs/style.md"], depth = 2 }
"#,
    build: Build::Alone(build),
};

/// Adds files of instructions: those of the user, of the project and of the folder of the session.
///
/// Each name is looked for in the home folder, and from the folder of the session upwards. All that are
/// found are added, each with its path, the outermost first: what is closer to the work comes later.
/// With `depth`, files of these names further down are named, so that the model can read them when it
/// works there.
///
/// ```toml
/// [[hook]]
/// id = "instructions"
/// event = "turn_start"
/// builtin = { name = "add_prompt_files", files = ["AGENTS.md", "docs/style.md"], depth = 2 }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `files` | string or array of strings, `["AGENTS.md"]` | the names of the files; relative, without `..` |
/// | `depth` | integer, `0` | how deep below the folder others are looked for, which are only named |
/// | `max_bytes` | size, `32KiB` | how much of each file is added; the rest is cut off |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at the
/// others. A file that is not there, cannot be read, is blank or is not text is passed over; without any
/// it has no opinion, and it never fails. Below the folder it looks into 2,000 folders at most, not into
/// hidden ones nor into those that hold what others have written (`node_modules`, `target`, …), and
/// names 100 files at most.
///
/// ```
/// use hookgate_builtin::{AddPromptFiles, BuiltinError};
///
/// assert!(AddPromptFiles::new(&["AGENTS.md", "docs/style.md"]).is_ok());
/// assert!(matches!(AddPromptFiles::new(&["../AGENTS.md"]), Err(BuiltinError::FileName(_))));
/// # Ok::<(), BuiltinError>(())
/// ```
#[derive(Debug, Clone)]
pub struct AddPromptFiles {
    files: Vec<PathBuf>,
    depth: usize,
    max_bytes: usize,
}

impl AddPromptFiles {
    /// Creates a handler for files of these names.
    ///
    /// # Errors
    /// [`BuiltinError::FileName`] if one of them is absolute, has a `..` or names no file.
    pub fn new(files: &[&str]) -> Result<Self, BuiltinError> {
        let is_plain = |name: &str| {
            let mut parts = Path::new(name).components();
            !name.trim().is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        if let Some(name) = files.iter().find(|name| !is_plain(name)) {
            return Err(BuiltinError::FileName((*name).to_owned()));
        }
        let files = files.iter().map(PathBuf::from).collect();
        Ok(Self { files, depth: 0, max_bytes: MAX_BYTES })
    }

    /// Sets how deep below the folder of the session files are named.
    #[must_use]
    pub fn depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Sets how much of each file is added.
    #[must_use]
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// Returns the folders that are searched, the outermost first.
    fn folders(folder: &Path) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = folder.ancestors().map(Path::to_path_buf).collect();
        folders.reverse();
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        if let Some(home) = home.filter(|home| !folders.contains(home)) {
            folders.insert(0, home);
        }
        folders
    }

    /// Reads a text, cut at the limit; `None` if it is not a text that can be added.
    fn read(&self, path: &Path) -> Option<String> {
        // A pipe would block for ever.
        if !fs::metadata(path).is_ok_and(|file| file.is_file()) {
            return None;
        }
        let limit = u64::try_from(self.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        let is_cut = bytes.len() > self.max_bytes;
        bytes.truncate(self.max_bytes);
        if bytes.contains(&0) {
            return None;
        }
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_cut {
            text.push_str("\n[the rest of the file is left out]");
        }
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// Returns the files of these names further down, relative to the folder.
    fn nested(&self, folder: &Path) -> Vec<String> {
        let mut waiting = VecDeque::from([(folder.to_path_buf(), 0_usize)]);
        let (mut found, mut looked) = (Vec::new(), 0_usize);
        while let Some((here, depth)) = waiting.pop_front() {
            looked += 1;
            if looked > MOST_FOLDERS {
                break;
            }
            if depth > 0 {
                let files = self.files.iter().map(|name| here.join(name));
                let files = files.filter(|file| file.is_file());
                let names =
                    files.filter_map(|file| Some(file.strip_prefix(folder).ok()?.to_path_buf()));
                found.extend(names.map(|name| name.display().to_string()));
            }
            if depth == self.depth {
                continue;
            }
            let Ok(entries) = here.read_dir() else { continue };
            let is_searched = |entry: &fs::DirEntry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                entry.file_type().is_ok_and(|kind| kind.is_dir())
                    && !name.starts_with('.')
                    && !SKIPPED.contains(&&*name)
            };
            let below = entries.take(MOST_FOLDERS).flatten().filter(is_searched);
            waiting.extend(below.map(|entry| (entry.path(), depth + 1)));
        }
        found.sort();
        found.truncate(MOST_NESTED);
        found
    }
}

impl SyncHandler for AddPromptFiles {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let Some(folder) = session_folder(&invocation) else { return Ok(Verdict::none()) };
        let mut verdict = Verdict::none();
        for place in Self::folders(folder) {
            for name in &self.files {
                let path = place.join(name);
                if let Some(text) = self.read(&path) {
                    let text = format!("Instructions from {}:\n{text}", path.display());
                    verdict = verdict.context(text);
                }
            }
        }
        if self.depth > 0 {
            let nested = self.nested(folder);
            if !nested.is_empty() {
                verdict = verdict.context(format!(
                    "Read these before you work in their folders:\n{}",
                    nested.join("\n")
                ));
            }
        }
        Ok(verdict)
    }
}

impl From<AddPromptFiles> for BuiltHandler {
    fn from(handler: AddPromptFiles) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(takes_context)
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let files = settings.one_or_more("files").unwrap_or_else(|| FILES.to_vec());
    let depth = settings.count("depth", 0..=8).unwrap_or(0);
    let max_bytes = settings.size("max_bytes").unwrap_or(MAX_BYTES);
    let handler = AddPromptFiles::new(&files);
    let handler = handler.map_err(|error| settings.invalid("files", error.to_string())).ok()?;
    Some(handler.depth(depth).max_bytes(max_bytes).into())
}
