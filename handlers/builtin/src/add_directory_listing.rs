//! `add_directory_listing`: what is in the folder of the session, for the model.

use std::fmt::Write;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::folder::session_folder;
use crate::supports::takes_context;

/// How many names are shown.
const MOST: usize = 100;

/// How many entries of a folder are read. It bounds the time in a folder of millions.
const MOST_READ: usize = 10_000;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_directory_listing",
    role: Role::Guard,
    about: "adds the names in the folder of the session for the model",
    supports: Some(takes_context),
    settings: &[SettingDoc::optional(
        "most",
        SettingType::Integer(1, 1000),
        "how many names are shown; how many more there are is said",
    )
    .default("100")],
    example: r#"[[hook]]
id = "files"
event = "session_start"
builtin = { name = "add_directory_listing", most = 50 }
"#,
    build: Build::Alone(build),
};

/// Adds the names of the files and folders in the folder of the session, in the order of the alphabet.
/// A folder has a `/` at its end; names that begin with a dot are left out.
///
/// ```toml
/// [[hook]]
/// id = "files"
/// event = "session_start"
/// builtin = { name = "add_directory_listing", most = 50 }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `most` | integer, `100` | how many names are shown; how many more there are is said |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at the
/// others. If the folder is not known, cannot be read or is empty it has no opinion. It reads 10,000
/// entries at most, and never fails.
///
/// ```
/// use hookgate_builtin::AddDirectoryListing;
/// use hookgate_contract::payload::TurnStart;
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId, SyncHandler};
///
/// let folder = std::env::temp_dir().join(format!("hookgate-listing-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("src"))?;
/// std::fs::write(folder.join("README.md"), "")?;
/// std::fs::write(folder.join(".env"), "")?;
/// let cwd = folder.to_string_lossy();
/// let (payload, context) = (TurnStart::new(1), StepContext::new("session-1").cwd(&cwd));
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&payload, &context, &id, 1, 64 * 1024);
///
/// let verdict = AddDirectoryListing::new().handle(Invocation::new("files", &envelope)).unwrap();
/// let text = verdict.parts().unwrap().context.concat();
/// assert!(text.ends_with(":\nREADME.md\nsrc/\n"));
/// std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AddDirectoryListing {
    most: usize,
}

impl Default for AddDirectoryListing {
    fn default() -> Self {
        Self::new()
    }
}

impl AddDirectoryListing {
    /// Creates a handler that shows 100 names.
    #[must_use]
    pub const fn new() -> Self {
        Self { most: MOST }
    }

    /// Sets how many names are shown.
    #[must_use]
    pub const fn most(self, most: usize) -> Self {
        Self { most }
    }
}

impl SyncHandler for AddDirectoryListing {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let Some(folder) = session_folder(&invocation) else { return Ok(Verdict::none()) };
        let Ok(entries) = folder.read_dir() else { return Ok(Verdict::none()) };
        let mut read = 0_usize;
        let mut names: Vec<String> = entries
            .take(MOST_READ)
            .inspect(|_| read += 1)
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                // A line break in a name could look like another name.
                let name = name.replace(char::is_control, "?");
                let shown = !name.starts_with('.');
                shown.then(|| if is_folder { format!("{name}/") } else { name })
            })
            .collect();
        names.sort();
        if names.is_empty() {
            return Ok(Verdict::none());
        }
        let mut text = format!("In {}:\n", folder.display());
        for name in names.iter().take(self.most) {
            let _ = writeln!(text, "{name}");
        }
        let left = names.len().saturating_sub(self.most);
        if read == MOST_READ {
            let _ = writeln!(text, "and at least {left} more");
        } else if left > 0 {
            let _ = writeln!(text, "and {left} more");
        }
        Ok(Verdict::none().context(text))
    }
}

impl From<AddDirectoryListing> for BuiltHandler {
    fn from(handler: AddDirectoryListing) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(takes_context)
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let most = settings.count("most", 1..=1000).unwrap_or(MOST);
    Some(AddDirectoryListing::new().most(most).into())
}
