//! `protect_config`: the agent does not change the hooks that guard it.

mod paths;

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Failure, FailureClass, Invocation, Reply, Role,
    SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::{ChangedPaths, Changes, ConfigFiles, Host};
use crate::open_path::OpenPath;
use crate::supports::can_deny;

/// The folder of a project that holds its hooks.
const FOLDER: &str = ".hookgate";

/// What is protected in the folder of the config.
const BESIDE_THE_CONFIG: &[&str] = &["hooks.toml", "hooks.local.toml", "hooks.d"];

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "protect_config",
    role: Role::Guard,
    about: "denies changes of the hooks, their scripts and prompts, by any tool",
    supports: Some(can_deny_tool),
    settings: &[SettingDoc::optional(
        "paths",
        SettingType::Texts,
        "more files and folders, from the folder of the config, `~`, `$project` or `$config`",
    )],
    example: r#"[[hook]]
id = "hooks-stay"
event = "pre_tool_use"
builtin = { name = "protect_config", paths = ["policies", "../CODEOWNERS"] }
"#,
    build: Build::WithHost(build),
};

/// Denies calls that would write or delete a file of the config, whatever the tool is.
///
/// A guard that the agent can edit is none. Protected are `hooks.toml`, `hooks.local.toml` and `hooks.d`
/// beside the config, every folder `.hookgate`, the files that the config names (scripts, prompts, the
/// journal), what the host names beside them (in `hookgate`: its configs, its state and its packs, the settings of
/// agents, its program), and the paths of the settings. To delete or move a folder that holds one of them is a
/// change too, and so is to change its mode, its owner or what is mounted there, and a call that puts other hooks
/// in force: `hookgate trust`, `hookgate install`.
///
/// ```toml
/// [[hook]]
/// id = "hooks-stay"
/// event = "pre_tool_use"
/// builtin = { name = "protect_config", paths = ["policies", "../CODEOWNERS"] }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `paths` | array of strings | more files and folders, from the folder of the config, `~`, `$project` or `$config` |
///
/// It answers `deny` with the path, and has no opinion about a call that changes none of them. If it
/// cannot be told what a call changes, it fails with the class `unclear`: `on_unclear` says what that
/// counts as. It is refused at events that are not about a tool or cannot be denied. It needs to know
/// what a call [changes](crate::Changes); in a host that does not tell, it is an error of the config.
///
/// # Limits
/// It judges what a call says that it does. A program that the agent wrote a minute ago can do anything;
/// the permissions of the system are what stops it. If any file may be written in a folder that holds hooks (an
/// archive is unpacked there), or a program that is not known gets one of them as a word, that is `unclear`.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use hookgate_builtin::{ChangedPaths, Changes, ProtectConfig};
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId, SyncHandler};
///
/// struct Removes(&'static str);
/// impl Changes for Removes {
///     fn changes(&self, _: &Envelope<'_>) -> ChangedPaths {
///         ChangedPaths::new(vec![], vec![self.0.into()])
///     }
/// }
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "rm -rf /srv/ledger"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let protect = ProtectConfig::new(Path::new("/srv/ledger"), Arc::new(Removes("/srv/ledger")));
/// let verdict = protect.handle(Invocation::new("hooks-stay", &envelope)).unwrap();
/// let reason = verdict.parts().unwrap().reason.as_deref();
/// assert_eq!(reason, Some("/srv/ledger holds hooks that guard this session, and must not be deleted"));
/// ```
pub struct ProtectConfig {
    protected: Vec<PathBuf>,
    changes: Arc<dyn Changes>,
    config_files: Option<Arc<dyn ConfigFiles>>,
}

impl fmt::Debug for ProtectConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProtectConfig").field("protected", &self.protected).finish_non_exhaustive()
    }
}

impl ProtectConfig {
    /// Creates a handler that protects a config in this folder.
    #[must_use]
    pub fn new(folder: &Path, changes: Arc<dyn Changes>) -> Self {
        let mut handler = Self { protected: Vec::new(), changes, config_files: None };
        for name in BESIDE_THE_CONFIG {
            handler.protect(folder.join(name));
        }
        handler
    }

    /// Protects another file or folder.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.protect(path.into());
        self
    }

    /// Protects a path as it is written and as it is without links, should they differ.
    fn protect(&mut self, path: PathBuf) {
        if let Some(real) = real_path(&path).filter(|real| *real != path) {
            self.protected.push(real);
        }
        self.protected.push(path);
    }

    /// Returns all that is protected, for one call.
    fn places(&self) -> Places {
        let files = self.config_files.as_ref().map(|files| files.files()).unwrap_or_default();
        let names = self.config_files.as_ref().map(|files| files.names()).unwrap_or_default();
        let all = self.protected.iter().cloned().chain(files).collect();
        Places { all, names }
    }
}

/// What is protected in one call.
struct Places {
    /// Files and folders.
    all: Vec<PathBuf>,
    /// Relative paths that are protected in every folder.
    names: Vec<PathBuf>,
}

impl Places {
    /// Tells whether a path is protected itself, or by a folder above it.
    fn has(&self, path: &Path) -> bool {
        path.components().any(|part| part == Component::Normal(FOLDER.as_ref()))
            || self.all.iter().any(|protected| path.starts_with(protected))
            || self.names.iter().any(|name| ends(path).any(|end| end.starts_with(name)))
    }

    /// Tells whether something below a path is protected.
    fn are_below(&self, path: &Path) -> bool {
        self.all.iter().any(|protected| protected.starts_with(path))
            || self.named_in(path).next().is_some()
    }

    /// The files in a folder that are protected by their names. A name counts where such a file is.
    fn named_in(&self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let names = self.names.iter().map(move |name| {
            let rest = ends(folder).find_map(|end| name.strip_prefix(end).ok());
            rest.filter(|rest| *rest != Path::new("")).unwrap_or(name)
        });
        let inside = std::iter::once(Path::new(FOLDER)).chain(names);
        inside.map(|inside| folder.join(inside)).filter(|path| path.symlink_metadata().is_ok())
    }

    /// Tells whether a path of which only a pattern is known may be protected, or hold or lie in what is.
    fn may_have(&self, open: &OpenPath) -> bool {
        let folder = open.folder();
        let real = real_path(folder).filter(|real| real != folder);
        let as_called = |place: &Path| {
            let rest = place.strip_prefix(real.as_ref()?).ok()?;
            Some(folder.join(rest))
        };
        self.has(folder)
            || real.as_ref().is_some_and(|real| self.has(real))
            || self.all.iter().any(|place| {
                open.may_be(place) || as_called(place).is_some_and(|place| open.may_be(&place))
            })
            || self.named_in(folder).any(|place| open.may_be(&place))
    }

    /// Returns why a change is refused.
    fn refusal(&self, path: &Path, change: Change) -> Option<String> {
        let (shown, verb) = (path.display(), change.verb());
        if self.has(path) {
            return Some(format!(
                "{shown} belongs to the hooks that guard this session, and must not be {verb}"
            ));
        }
        (change.reaches_below() && self.are_below(path))
            .then(|| format!("{shown} holds hooks that guard this session, and must not be {verb}"))
    }

    /// Returns the first of the changes that is refused.
    fn first_refusal(&self, changes: &ChangedPaths) -> Option<String> {
        let of = |paths: &[PathBuf], change: Change| {
            paths.iter().find_map(|path| {
                let real = if change == Change::Deleted { beside(path) } else { real_path(path) };
                let behind_links = real.filter(|real| real != path);
                let refusal = self.refusal(path, change);
                refusal.or_else(|| self.refusal(&behind_links?, change))
            })
        };
        of(&changes.written, Change::Written)
            .or_else(|| of(&changes.filled, Change::Written))
            .or_else(|| of(&changes.deleted, Change::Deleted))
            .or_else(|| of(&changes.access, Change::Access))
    }

    /// Returns why nobody can tell whether one of them is changed.
    fn doubt(&self, changes: &ChangedPaths) -> Option<String> {
        let filled = changes.filled.iter().find(|path| self.are_below(path));
        let filled = filled.map(|path| format!("any file may be written in {}", path.display()));
        let touched = changes.touched.iter().find(|path| self.has(path));
        let touched = touched.map(|path| format!("{} is named in it", path.display()));
        let open = changes.open.iter().find(|open| self.may_have(open));
        let open = open.map(|open| format!("`{}` may be one of their files", open.written()));
        filled.or(touched).or(open)
    }
}

/// Returns a path, and what is left of it without its first part, its first two, and so on.
fn ends(path: &Path) -> impl Iterator<Item = &Path> {
    let mut parts = path.components();
    std::iter::from_fn(move || {
        let end = parts.as_path();
        parts.next().map(|_| end)
    })
}

/// What would become of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Written,
    Deleted,
    Access,
}

impl Change {
    const fn verb(self) -> &'static str {
        match self {
            Self::Written => "changed",
            Self::Deleted => "deleted",
            Self::Access => "put out of reach",
        }
    }

    /// Whether it is a change of all that is below, too.
    const fn reaches_below(self) -> bool {
        matches!(self, Self::Deleted | Self::Access)
    }
}

impl SyncHandler for ProtectConfig {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let changes = self.changes.changes(invocation.envelope);
        if let Some(how) = changes.loosens {
            return Ok(Verdict::deny(how));
        }
        let ChangedPaths { written, deleted, access, filled, touched, open, .. } = &changes;
        let mut doubt = None;
        // Most calls change nothing.
        let known = [written, deleted, access, filled, touched];
        if !open.is_empty() || known.iter().any(|paths| !paths.is_empty()) {
            let places = self.places();
            if let Some(reason) = places.first_refusal(&changes) {
                return Ok(Verdict::deny(reason));
            }
            doubt = places.doubt(&changes);
        }
        match changes.unclear.or(doubt) {
            None => Ok(Verdict::none()),
            Some(why) => Err(Failure::new(
                FailureClass::Unclear,
                format!("it cannot be told whether this changes the hooks: {why}"),
            )),
        }
    }
}

impl From<ProtectConfig> for BuiltHandler {
    fn from(handler: ProtectConfig) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(can_deny_tool).heavy()
    }
}

fn can_deny_tool(contract: &Contract) -> Result<(), &'static str> {
    if contract.tool { can_deny(contract) } else { Err("no tool could change a file here") }
}

/// Returns the path without links. A file need not be there; its folder must be.
fn real_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| beside(path))
}

/// Returns the path without links in its folder: who deletes a link does not delete what it leads to.
fn beside(path: &Path) -> Option<PathBuf> {
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let paths = settings.list("paths").unwrap_or_default();
    let Some(changes) = host.changes.clone() else {
        settings.invalid("name", "this program does not know what a call changes");
        return None;
    };
    let mut protect = ProtectConfig::new(context.base, changes);
    protect.config_files.clone_from(&host.config_files);
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let mut named = Vec::new();
    for text in paths {
        match paths::read(context.base, home.as_deref(), text) {
            Ok(path) => {
                named.push((text.to_owned(), path.clone()));
                protect.protect(path);
            }
            Err(problem) => {
                settings.invalid("paths", problem);
                return None;
            }
        }
    }
    let doubts = move || {
        let missing = named.iter().filter_map(|(text, path)| paths::doubt(text, path));
        missing.collect()
    };
    Some(BuiltHandler::from(protect).doubts(doubts))
}
