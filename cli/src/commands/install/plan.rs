//! What would change in the files of an agent.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookgate::contract::dialect::HostEvent;

use super::change::{Change, read};
use super::record::{Before, Record};
use crate::abort::Abort;
use crate::agents::{CommandLine, Entry, Form, Profile, Refusal, Scope, edit, installed, script};
use crate::programs::{self, FULL, SMALL};
use crate::terminal::stderr;

/// How many links are followed to a file that is not there.
const MOST_LINKS: usize = 40;

/// What is to be installed.
pub(super) struct Wanted<'a> {
    /// Only these events; all if it is empty.
    pub(super) events: &'a [String],
    /// The program.
    pub(super) program: String,
    /// The config of the policy.
    pub(super) config: Option<String>,
    /// After how many seconds hookgate refuses.
    pub(super) seconds: u32,
    /// After how many seconds without a call the daemon ends, if one is to judge.
    pub(super) daemon: Option<u32>,
}

/// Returns the program that the agent starts: with a daemon the small one, if that is there.
pub(super) fn program(
    given: Option<&str>,
    scope: Scope,
    has_daemon: bool,
) -> Result<String, Abort> {
    if on_path("timeout").is_none() {
        return Err(Abort::failure("the program `timeout` is not installed")
            .help("it ends hookgate if that hangs: install coreutils"));
    }
    let program = match (given, scope) {
        (Some(given), _) => given.to_owned(),
        // The file is for everybody, and everybody has it elsewhere.
        (None, Scope::Project) if has_daemon && on_path(SMALL).is_some() => SMALL.to_owned(),
        (None, Scope::Project) => FULL.to_owned(),
        (None, Scope::User) => of_user(has_daemon)
            .map_err(|error| Abort::failure(format!("cannot find this program: {error}")))?
            .display()
            .to_string(),
    };
    if !CommandLine::is_plain(&program) {
        return Err(Abort::usage(format!("`{program}` cannot stand in a command line as it is"))
            .help("use a path of letters, digits and `/._-+@:,=`, such as that of a link"));
    }
    if program.starts_with('/') {
        if !Path::new(&program).is_file() {
            return Err(Abort::failure(format!("there is no program `{program}`")));
        }
        if is_of_build_folder(Path::new(&program)) {
            stderr::warning(&format!(
                "`{program}` is in a build folder: once that is cleaned, everything is denied; install hookgate \
                 (`cargo install --path cli`) and run this again, or name the program with `--bin`"
            ));
        }
    } else if program.contains('/') {
        return Err(Abort::usage(format!("`{program}` is neither a name nor an absolute path")));
    } else if on_path(&program).is_none() {
        stderr::warning(&format!(
            "`{program}` is not in the PATH: until it is, everything is denied"
        ));
    }
    Ok(program)
}

/// Tells whether a program is in the folder of a build, which goes away: `target/debug`, or that of another
/// target or profile.
fn is_of_build_folder(program: &Path) -> bool {
    let tagged = |folder: &Path| folder.join("CACHEDIR.TAG").is_file();
    let named = |folder: &Path| folder.file_name().is_some_and(|name| name == "target");
    program.ancestors().skip(1).any(|folder| named(folder) || tagged(folder))
}

fn of_user(has_daemon: bool) -> io::Result<PathBuf> {
    let small = programs::beside(SMALL)?;
    if has_daemon && small.is_file() { Ok(small) } else { env::current_exe() }
}

/// Returns the path of the policy as it stands in the command line.
pub(super) fn config(given: Option<&Path>) -> Result<Option<String>, Abort> {
    let Some(given) = given else { return Ok(None) };
    let path = fs::canonicalize(given).map_err(|error| Abort::file("read", given, &error))?;
    let path = path.display().to_string();
    if CommandLine::is_plain(&path) {
        return Ok(Some(path));
    }
    Err(Abort::usage(format!("`{path}` cannot stand in a command line as it is"))
        .help("use a path of letters, digits and `/._-+@:,=`, such as that of a link"))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Returns what changes if hookgate is installed.
pub(super) fn addition(
    profile: &Profile,
    place: &Path,
    state: &Path,
    wanted: &Wanted<'_>,
) -> Result<Vec<Change>, Abort> {
    let entries = entries(profile, wanted)?;
    match profile.form {
        Form::Grouped { .. } | Form::Listed { .. } | Form::Tables => {
            Ok(vec![shared(profile, place, state, Some(&entries))?])
        }
        Form::Plugin => {
            let text = plugin(&entries, wanted)?;
            Ok(vec![own(place, state, Some(text))?])
        }
        Form::Scripts => {
            let mut changes = Vec::new();
            for event in profile.dialect()?.events() {
                let entry = entries.iter().find(|entry| entry.line.event == event.name);
                let text = entry.map(|entry| script::cline(&entry.line));
                changes.push(own(&place.join(event.name), state, text)?);
            }
            Ok(changes)
        }
    }
}

/// Returns what changes if hookgate is removed.
pub(super) fn removal(profile: &Profile, place: &Path, state: &Path) -> Result<Vec<Change>, Abort> {
    match profile.form {
        Form::Grouped { .. } | Form::Listed { .. } | Form::Tables => {
            Ok(vec![shared(profile, place, state, None)?])
        }
        Form::Plugin => Ok(vec![own(place, state, None)?]),
        Form::Scripts => profile
            .dialect()?
            .events()
            .iter()
            .map(|event| own(&place.join(event.name), state, None))
            .collect(),
    }
}

fn entries(profile: &Profile, wanted: &Wanted<'_>) -> Result<Vec<Entry>, Abort> {
    let dialect = profile.dialect()?;
    let known: Vec<&str> = dialect.events().iter().map(|event| event.name).collect();
    if let Some(name) = wanted.events.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Abort::unknown_name("event", name, &known));
    }
    let chosen = |event: &&HostEvent| match wanted.events {
        [] => profile.why_left_out(event.name).is_none() && !profile.has_other_name(event.name),
        names => names.iter().any(|name| name == event.name),
    };
    let entry = |event: &HostEvent| {
        let waits = profile.waits(event, wanted.seconds);
        let line = CommandLine {
            program: wanted.program.clone(),
            agent: profile.name.to_owned(),
            event: event.name.to_owned(),
            config: wanted.config.clone(),
            deadline: waits.deadline,
            daemon: wanted.daemon,
            kill: waits.kill,
            closed: event.fails_closed(),
        };
        Entry { line, patience: waits.patience }
    };
    Ok(dialect.events().iter().filter(chosen).map(entry).collect())
}

/// Returns the plugin; it is one for all events.
fn plugin(entries: &[Entry], wanted: &Wanted<'_>) -> Result<String, Abort> {
    if !wanted.events.is_empty() {
        return Err(Abort::usage("the plugin is for all events").help("leave --event out"));
    }
    let line = entries.iter().map(|entry| &entry.line).max_by_key(|line| line.kill);
    match line {
        Some(line) if line.kill < script::PLUGIN_PATIENCE => Ok(script::plugin(line)),
        _ => Err(Abort::usage(format!(
            "the plugin waits {} seconds at most",
            script::PLUGIN_PATIENCE
        ))
        .help("give fewer --seconds")),
    }
}

/// The change of a file that has other things in it too. Without `entries` ours are removed.
fn shared(
    profile: &Profile,
    place: &Path,
    state: &Path,
    entries: Option<&[Entry]>,
) -> Result<Change, Abort> {
    let path = resolve(place);
    let now = read(&path).map_err(|error| unreadable(&path, &error))?;
    let earlier = Record::read(state, &path);
    let folders = earlier.as_ref().map(|record| record.folders.clone()).unwrap_or_default();
    let refuse = |refusal: Refusal| refused(&path, &refusal);
    let form = profile.form;
    if let (Some(now), Some(entries)) = (&now, entries)
        && installed::has_exactly(now, form, profile.name, entries).map_err(refuse)?
    {
        return Ok(Change::none(path, now.clone()));
    }
    let without = match &now {
        None => None,
        Some(now) => match earlier.as_ref().and_then(|record| record.undo(now)) {
            Some(Before::Nothing) => None,
            Some(Before::Text(text)) => Some(text),
            None => {
                let ours = |line: &str| {
                    CommandLine::read(line).is_some_and(|line| line.agent == profile.name)
                };
                let text = edit::remove(now, form, &ours).map_err(refuse)?;
                let was_made = |record: &Record| record.made_the_file();
                let goes = |text: &String| {
                    let made = earlier.as_ref().is_some_and(was_made);
                    (made || path.ends_with("hookgate.json")) && edit::is_empty(text, form)
                };
                match text {
                    Some(text) if goes(&text) => None,
                    Some(text) => Some(text),
                    None => Some(now.clone()),
                }
            }
        },
    };
    let Some(entries) = entries else {
        return Ok(Change {
            path,
            before: now,
            after: without,
            executable: false,
            record: None,
            folders,
        });
    };
    let draft = edit::add(without.as_deref().unwrap_or_default(), form, entries).map_err(refuse)?;
    let (text, added) = draft.into_parts();
    let mut record = Record::new(&path, without.as_deref(), &text, added);
    record.folders = folders;
    Ok(Change {
        path,
        before: now,
        after: Some(text),
        executable: false,
        record: Some(record),
        folders: Vec::new(),
    })
}

/// The change of a file that is ours as a whole. Without a text it goes.
fn own(place: &Path, state: &Path, text: Option<String>) -> Result<Change, Abort> {
    let path = resolve(place);
    let before = read(&path).map_err(|error| unreadable(&path, &error))?;
    let is_foreign = before.as_deref().is_some_and(|before| !script::is_ours(before));
    let earlier = Record::read(state, &path);
    let folders = earlier.map(|record| record.folders).unwrap_or_default();
    let (after, record) = match text {
        Some(_) if is_foreign => return Err(refused(&path, &Refusal::Foreign)),
        Some(text) => {
            let mut record = Record::new(&path, None, &text, Vec::new());
            record.folders.clone_from(&folders);
            (Some(text), Some(record))
        }
        None if is_foreign => (before.clone(), None),
        None => (None, None),
    };
    let executable = path.extension().is_none();
    Ok(Change { path, before, after, executable, record, folders })
}

/// Follows links, also one to a file that is not there yet: the file itself changes, and the links to it stay.
fn resolve(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(real) = fs::canonicalize(&path) {
            return real;
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    path
}

fn unreadable(path: &Path, error: &io::Error) -> Abort {
    match error.kind() {
        io::ErrorKind::InvalidData => refused(path, &Refusal::NotText),
        _ => Abort::file("read", path, error),
    }
}

fn refused(path: &Path, refusal: &Refusal) -> Abort {
    Abort::failure(format!("`{}` is left as it is: {refusal}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_of_build_folder;

    #[test]
    fn a_program_in_a_build_folder_is_told_from_an_installed_one() {
        for path in
            ["/w/target/debug/hookgate", "/w/target/x86_64-unknown-linux-musl/release/hookgate"]
        {
            assert!(is_of_build_folder(Path::new(path)), "{path}");
        }
        for path in
            ["/usr/local/bin/hookgate", "/home/me/.cargo/bin/hookgate", "/srv/targets/hookgate"]
        {
            assert!(!is_of_build_folder(Path::new(path)), "{path}");
        }
    }
}
