//! `snapshot`: the files of the project, before the agent changes them.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    AsyncHandler, BuildContext, BuiltHandler, Invocation, Reply, ReplyFuture, Role, Verdict,
};

use super::answer::NO_GIT;
use super::snapshots::{KEEP, MAX_NEW_FILE, Snapshots};
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::folder::session_folder;
use crate::host::Host;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "snapshot",
    role: Role::Guard,
    about: "keeps the files of the project in git, so that changes can be undone",
    supports: None,
    settings: &[
        SettingDoc::optional(
            "keep",
            SettingType::Integer(1, 10_000),
            "how many snapshots of a session are kept",
        )
        .default("50"),
        SettingDoc::optional(
            "max_new_file",
            SettingType::Size,
            "how large a file may be that git does not follow; a larger one is left out",
        )
        .default("\"2MiB\""),
    ],
    example: r#"[[hook]]
id = "undo-points"
event = "turn_start"
builtin = { name = "snapshot" }
"#,
    build: Build::WithHost(build),
};

/// Keeps the state of the files in the git repository of the session, before the agent changes them.
///
/// At `turn_start` there is one snapshot for each turn; at `pre_tool_use` one for each call. A state
/// that is kept already is not kept again. [`Snapshots`] lists them and goes back to one; git alone can
/// do it too.
///
/// ```toml
/// [[hook]]
/// id = "undo-points"
/// event = "pre_tool_use"
/// tool = "!Read"
/// builtin = { name = "snapshot", keep = 100 }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `keep` | integer, `50` | how many snapshots of a session are kept |
/// | `max_new_file` | size, `2MiB` | how large a file may be that git does not follow; a larger one is left out |
///
/// It has no opinion about the step, and a note in its vote names the snapshot. Outside of a work tree,
/// and on a machine without git, it does nothing. If git fails, so does the hook, with the class `spawn`
/// or `exit`: as a guard it then counts as its posture says, which before a tool is a deny. With
/// `on_failure = "allow"` the agent goes on without an undo point. It starts about eight processes, which
/// takes 20 to 50 ms in a small repository, within the deadline of the hook.
///
/// # What is kept, and how to go back
/// The files that git follows and the new ones that it does not ignore, as a commit without parents
/// under `refs/hookgate/snapshots/SESSION/NUMBER`. It is made with an index of its own: the index, the
/// branch and the stashes of the user stay as they are. The objects stay in the repository as long as
/// the reference; `git push --mirror` would push them, other pushes do not.
///
/// ```sh
/// git for-each-ref refs/hookgate/snapshots              # all snapshots
/// git diff refs/hookgate/snapshots/SESSION/00000003     # what has changed since
/// git restore --source=refs/hookgate/snapshots/SESSION/00000003 --worktree :/   # go back
/// ```
///
/// `git restore` leaves new files where they are; [`Snapshots::undo`] removes them too, and so do `hookgate snapshot
/// undo` and `hookgate snapshot reset`.
#[derive(Debug)]
pub struct TakeSnapshot {
    snapshots: Option<Snapshots>,
}

impl TakeSnapshot {
    /// Creates a handler that takes these; without them it does nothing.
    #[must_use]
    pub const fn new(snapshots: Option<Snapshots>) -> Self {
        Self { snapshots }
    }

    async fn take(&self, invocation: Invocation<'_>) -> Reply {
        let (Some(snapshots), Some(folder)) = (&self.snapshots, session_folder(&invocation)) else {
            return Ok(Verdict::none());
        };
        let context = invocation.context();
        let label = match invocation.tool() {
            Some(call) => format!("turn {}, before `{}`", context.turn, call.tool_name),
            None => format!("turn {}, {}", context.turn, invocation.payload().event_name()),
        };
        let taken = snapshots.take(folder, context.session_id, &label).await?;
        Ok(match taken {
            Some(snapshot) => Verdict::none().note(snapshot.reference),
            None => Verdict::none(),
        })
    }
}

impl AsyncHandler for TakeSnapshot {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(self.take(invocation))
    }
}

impl From<TakeSnapshot> for BuiltHandler {
    fn from(handler: TakeSnapshot) -> Self {
        let is_missing = handler.snapshots.is_none();
        let mut built = Self::from_async(handler).role(Role::Guard).external();
        if is_missing {
            built.warnings.push(NO_GIT.into());
        }
        built
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
    let keep = settings.count("keep", 1..=10_000).unwrap_or(KEEP);
    let max_new_file = settings.size("max_new_file").unwrap_or(MAX_NEW_FILE);
    if host.dry_run {
        return Some(
            BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())).role(Role::Guard),
        );
    }
    let snapshots = Snapshots::find();
    let snapshots = snapshots.map(|all| all.keep(keep).max_new_file(max_new_file));
    Some(TakeSnapshot::new(snapshots).into())
}
