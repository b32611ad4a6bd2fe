//! What git wrote, as context for the model.

use std::path::Path;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    AsyncHandler, BuiltHandler, Invocation, Reply, ReplyFuture, Role, Verdict,
};

use super::program::{Git, GitError};
use crate::doc::{SettingDoc, SettingType};
use crate::folder::session_folder;
use crate::supports::takes_context;

pub(super) const MAX_BYTES: usize = 4 * 1024;

/// The setting that all of them have.
pub(super) const MAX_BYTES_DOC: SettingDoc = SettingDoc::optional(
    "max_bytes",
    SettingType::Size,
    "how much of it is added; the rest is cut off",
)
.default("\"4KiB\"");

/// Adds what a call of git writes.
#[derive(Debug, Clone)]
pub(super) struct GitText {
    git: Option<Git>,
    pub(super) title: &'static str,
    pub(super) args: Vec<String>,
    pub(super) max_bytes: usize,
}

impl GitText {
    pub(super) fn new(title: &'static str, args: &[&str]) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Self { git: Git::find(), title, args, max_bytes: MAX_BYTES }
    }

    async fn answer(&self, folder: Option<&Path>) -> Reply {
        let (Some(git), Some(folder)) = (&self.git, folder) else { return Ok(Verdict::none()) };
        let call = git.call(folder).args(&self.args).max_bytes(self.max_bytes);
        let output = match call.run().await {
            Ok(output) => output,
            Err(GitError::Nothing) => return Ok(Verdict::none()),
            Err(error) => return Err(error.into()),
        };
        let text = String::from_utf8_lossy(&output.bytes);
        if text.trim().is_empty() {
            return Ok(Verdict::none());
        }
        let mut text = text.into_owned();
        if output.is_cut {
            // Half a line could be misread.
            text.truncate(text.rfind('\n').map_or(text.len(), |end| end + 1));
            text.push_str("[the rest is left out]\n");
        }
        Ok(Verdict::none().context(format!("{}:\n{text}", self.title)))
    }

    /// Makes the handler.
    pub(super) fn built(self) -> BuiltHandler {
        let is_missing = self.git.is_none();
        let mut built = BuiltHandler::from_async(self).role(Role::Guard).supports(takes_context);
        built.external = true;
        if is_missing {
            built.warnings.push(NO_GIT.into());
        }
        built
    }
}

/// What a person who checks a config should know.
pub(super) const NO_GIT: &str = "there is no program `git` in PATH, so nothing is done";

impl AsyncHandler for GitText {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(self.answer(session_folder(&invocation)))
    }
}

/// Reads the setting `max_bytes`.
pub(super) fn read_max_bytes(settings: &mut Settings<'_>) -> usize {
    settings.size("max_bytes").unwrap_or(MAX_BYTES)
}
