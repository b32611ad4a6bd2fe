//! `protect_config`: the agent does not change the hooks that guard it.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Failure, FailureClass, Invocation, Reply, Role,
    SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::{Changes, ConfigFiles, Host};
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
        "more files and folders, from the folder of the config",
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
/// journal), the list of projects that the user trusts, and the paths of the settings. To delete or move a
/// folder that holds one of them is a change too, and so is a call that trusts a project: `hookgate trust`.
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
/// | `paths` | array of strings | more files and folders, from the folder of the config |
///
/// It answers `deny` with the path, and has no opinion about a call that changes none of them. If it
/// cannot be told what a call changes, it fails with the class `unclear`: `on_unclear` says what that
/// counts as. It is refused at events that are not about a tool or cannot be denied. It needs to know
/// what a call [changes](crate::Changes); in a host that does not tell, it is an error of the config.
///
/// # Limits
/// It judges what a call says that it does. A program that the agent wrote a minute ago can do anything;
/// the permissions of the system are what stops it.
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

    /// Returns why a change is refused.
    fn refusal(&self, path: &Path, deleted: bool, named: &[PathBuf]) -> Option<String> {
        let shown = path.display();
        let verb = if deleted { "deleted" } else { "changed" };
        let all = || self.protected.iter().chain(named);
        if path.components().any(|part| part == Component::Normal(FOLDER.as_ref()))
            || all().any(|protected| path.starts_with(protected))
        {
            return Some(format!(
                "{shown} belongs to the hooks that guard this session, and must not be {verb}"
            ));
        }
        (deleted && all().any(|protected| protected.starts_with(path))).then(|| {
            format!("{shown} holds hooks that guard this session, and must not be deleted")
        })
    }
}

impl SyncHandler for ProtectConfig {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let changes = self.changes.changes(invocation.envelope);
        if let Some(how) = changes.loosens {
            return Ok(Verdict::deny(how));
        }
        let written = changes.written.iter().map(|path| (path, false));
        let mut changed = written.chain(changes.deleted.iter().map(|path| (path, true))).peekable();
        // Most calls change nothing.
        if changed.peek().is_some() {
            let named = self.config_files.as_ref().map(|files| files.files()).unwrap_or_default();
            let refusal = changed.find_map(|(path, deleted)| self.refusal(path, deleted, &named));
            if let Some(reason) = refusal {
                return Ok(Verdict::deny(reason));
            }
        }
        match changes.unclear {
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
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
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
    for path in paths {
        if path.trim().is_empty() {
            settings.invalid("paths", "an empty path would be the folder of the config");
            return None;
        }
        protect.protect(without_dots(&context.base.join(path)));
    }
    Some(protect.into())
}

/// Removes `.` and `..`, as the paths of a call have none.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
