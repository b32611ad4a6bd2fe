//! A program is started: it is noted, and looked into if it runs others.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::code::quoted;
use super::names;
use super::project_scripts::Shell;
use super::roles::{self, Role};
use super::state::Variable;
use super::syntax::{MAX_DEPTH, Problem};
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::paths::join;
use crate::run::{Output, Place, Redirect, Run};
use crate::word::{Word, WordPart};

/// How a program is started, besides its words.
#[derive(Debug, Clone, Default)]
pub(super) struct Launch {
    /// Variables for this run.
    pub(super) env: Vec<(String, Word)>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) output: Output,
    /// Whether more words than the known ones follow.
    pub(super) more_args: bool,
    /// The search that finds these words.
    pub(super) search: Option<Arc<Run>>,
}

impl Walker<'_> {
    /// Notes a program and goes through what it runs itself.
    pub(super) fn start(&mut self, words: Vec<Word>, launch: Launch) {
        if self.depth > MAX_DEPTH {
            self.unclear(UnclearWhat::Anything, Problem::Deep.why(), None);
            return;
        }
        self.depth += 1;
        self.start_here(words, launch);
        self.depth -= 1;
    }

    /// Notes the search whose names a word stands for: `cat $(find .)`. Of several such words one is noted.
    fn note_search(&self, run: &mut Run) {
        if run.more_args || run.search.is_some() || self.searches.is_empty() {
            return;
        }
        let found = run.args.iter().find_map(|word| match word.parts.as_slice() {
            [WordPart::Unknown { .. }] | [WordPart::Text(_), WordPart::Unknown { .. }] => {
                let written = word.written();
                let search = self.searches.get(&written)?.as_ref()?;
                Some((written, search))
            }
            _ => None,
        });
        if let Some((written, search)) = found {
            run.search_word = Some(written);
            run.search = Some(Arc::clone(search));
        }
    }

    fn start_here(&mut self, words: Vec<Word>, launch: Launch) {
        let mut words = words.into_iter();
        let Some(program) = words.next() else {
            return;
        };
        let args: Vec<Word> = words.collect();
        if !self.spend(2 + 2 * args.len()) {
            return;
        }
        let mut run = Run {
            program,
            args,
            more_args: launch.more_args,
            search: launch.search,
            env: launch.env,
            ..Run::default()
        };
        run.redirects = launch.redirects;
        run.output = launch.output;
        self.note_search(&mut run);
        // A program that the line has linked or copied is that program under another name.
        if run.program.known_prefix().contains('/')
            && let Some(program) = self.program_behind(&run.program)
            && is_another(&run.program, &program)
        {
            run.program = program;
        }
        let Some(name) = run.name().map(Cow::into_owned) else {
            self.start_unknown(run);
            return;
        };
        if name == "kill" {
            take_for_processes(&mut run);
        }
        let is_path = run.program.known_prefix().contains('/');
        let role = roles::of(&name, is_path);
        if matches!(role, Role::Other) && name.contains('-') && self.cmdlet_of_line(&run) {
            return;
        }
        // What the shell itself does is not looked for in `PATH`.
        let is_looked_for = !matches!(role, Role::Builtin(_));
        run.renamed = self.state.renamed.contains(&name)
            || is_looked_for && (self.is_path_another() || self.sets_path(&run.env));
        run.code_from = self.script_source(&run.program);
        run.document = match &self.input {
            Input::Text(text) => Some(text.clone()),
            Input::Piped(text) if name == "envsubst" => Some(text.clone()),
            _ => None,
        };
        if self.state.renamed.contains(&name) {
            let why = format!("`{name}` has been given another meaning before");
            self.unclear(UnclearWhat::Program, why, Some(self.runs.len()));
        }
        let args = match role {
            Role::Other => None,
            _ => Some(run.args.clone()),
        };
        let env = run.env.clone();
        self.add_exported(&name, &mut run.env);
        let file = is_path.then(|| run.program.clone());
        let redirects = run.redirects.len();
        let by = self.push_run(run);
        self.evaluated_code(&name, by);
        self.job_control(&name, args.as_deref().unwrap_or_default());
        self.note_end(&name, by);
        self.note_checkout(by);
        for (variable, value) in &env {
            self.variable_is_set(variable, value, Some(by));
        }
        let Some(args) = args else {
            self.unlisted_wrapper(by, &name);
            if matches!(name.as_str(), "test" | "[") {
                let args = self.runs.get(by).map(|run| run.args.clone()).unwrap_or_default();
                self.tested(&args, by);
            }
            if let Some(file) = file {
                self.written_script(&file, by);
                let args = self.runs.get(by).map(|run| run.args.clone()).unwrap_or_default();
                self.project_script(&file, by, Shell::New(&args, &env));
            }
            self.note_fetched(by);
            self.note_written(by, redirects, &self.input.clone());
            self.note_names(by);
            return;
        };
        match role {
            Role::Builtin(builtin) => self.builtin(builtin, &args, by, &env),
            Role::Shell => self.shell(&name, &args, by, &env),
            Role::Wrapper(wrapper) => self.wrapper(wrapper, &name, &args, by, &env),
            Role::Interpreter(interpreter) => self.interpreter(interpreter, &args, by),
            Role::Special(special) => self.special(special, &name, &args, by, &env),
            Role::Database(client) => {
                self.database(client, by);
                self.note_fetched(by);
            }
            Role::Carrier | Role::Other => {
                self.carriers(&name, &args, by);
                self.note_fetched(by);
            }
        }
        self.note_written(by, redirects, &self.input.clone());
        self.note_names(by);
    }

    /// Adds the variables of the shell that decide how a program reads its words.
    fn add_exported(&self, name: &str, env: &mut Vec<(String, Word)>) {
        const VARIABLES: [&str; 6] = [
            "POSIXLY_CORRECT",
            "TAR_OPTIONS",
            "TAPE",
            "GIT_DIR",
            "GIT_COMMON_DIR",
            "GIT_CEILING_DIRECTORIES",
        ];
        for variable in VARIABLES.iter().filter(|_| !self.state.exported.is_empty()) {
            let is_read = variable.starts_with(['P', 'G']) || name.ends_with("tar");
            let is_set = env.iter().any(|(set, _)| set == variable);
            if !is_read || is_set || !self.state.exported.contains(*variable) {
                continue;
            }
            let value = match self.state.variables.get(*variable) {
                Some(Variable::Text(value)) => value.clone(),
                Some(_) => Word::unknown(format!("${variable}"), true),
                None => continue,
            };
            env.push(((*variable).to_owned(), value));
        }
    }

    fn start_unknown(&mut self, run: Run) {
        let written = run.program.written();
        let from = self.source_of(&run.program);
        let by = self.push_run(run);
        if let (Some(from), Some(run)) = (from, self.runs.get_mut(by)) {
            run.code_from = Some(from);
        }
        let why = format!("{} is not known before it runs", quoted(&written));
        self.unclear(UnclearWhat::Program, why, Some(by));
    }

    /// An unknown program that gets the name of a dangerous one as a word may run it.
    fn unlisted_wrapper(&mut self, by: usize, name: &str) {
        if names::is_known(name) {
            return;
        }
        let Some(run) = self.runs.get(by) else { return };
        let is_one = |word: &Word| word.known().is_some_and(|word| names::is_dangerous(&word));
        let Some(at) = run.args.iter().position(is_one) else { return };
        let words = run.args.get(at..).unwrap_or_default().to_vec();
        let launch = Launch { more_args: run.more_args, ..Launch::default() };
        let written = words.first().map(Word::written).unwrap_or_default();
        // What some programs do follows from their words; others run code, or what comes from elsewhere.
        let base = written.rsplit('/').next().unwrap_or_default();
        if matches!(roles::of(base, true), Role::Other) && !VERBS_OF_SERVICES.contains(&base) {
            self.run_by(name, |walker| walker.in_branch(|walker| walker.start(words, launch)));
            self.complete = false;
            return;
        }
        let why = format!("`{name}` may run `{written}`, which is one of its words");
        self.unclear(UnclearWhat::Program, why, Some(by));
    }

    /// Goes through something that runs on another machine.
    pub(super) fn remotely(&mut self, go: impl FnOnce(&mut Self)) {
        let place = std::mem::replace(&mut self.place, Place::Remote);
        let complete = self.complete;
        self.in_subshell(|walker| {
            walker.change().cwd = None;
            go(walker);
        });
        // What is not known of the other machine leaves the programs of this one complete.
        self.complete = complete;
        self.place = place;
    }
}

/// The folders of `PATH` with the programs of the system.
const SYSTEM: [&str; 8] = [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/snap/bin",
];

/// Names of programs that are also what many services are told: `rabbitmqctl shutdown`.
const VERBS_OF_SERVICES: [&str; 6] = ["shutdown", "reboot", "halt", "poweroff", "mount", "umount"];

/// Whether a program that stands behind a path has another name than it, or one that is not known.
fn is_another(path: &Word, program: &Word) -> bool {
    let name = |word: &Word| {
        word.known().map(|known| known.rsplit('/').next().unwrap_or_default().to_owned())
    };
    name(program).is_none_or(|behind| names::is_known(&behind) && name(path) != Some(behind))
}

impl Walker<'_> {
    /// Whether `PATH` may give names another meaning: it begins with a folder into which the line may have put
    /// something since.
    fn is_path_another(&self) -> bool {
        let has_files = !self.files.is_empty() || !self.names.is_empty();
        self.state.all_renamed || (self.state.own_path && has_files)
    }

    fn sets_path(&self, env: &[(String, Word)]) -> bool {
        env.iter().any(|(name, value)| name == "PATH" && self.changes_path(value))
    }

    /// Whether a value of `PATH` begins with a folder that is none of the system.
    pub(super) fn begins_elsewhere(value: &Word) -> bool {
        let written = value.written();
        let first = written.split(':').next().unwrap_or_default();
        !SYSTEM.contains(&first) && !matches!(first, "$PATH" | "${PATH}")
    }

    /// Whether a value of `PATH` may give names another meaning: what comes first in it is neither the old value
    /// nor a folder of the system. A folder that is known, and not shared, counts only if the line itself has put
    /// something somewhere: otherwise its programs may be run by their path as well.
    pub(super) fn changes_path(&self, value: &Word) -> bool {
        const KNOWN: [&str; 4] = ["$HOME/", "${HOME}/", "$PWD/", "${PWD}/"];
        // Where anybody may put a program, or what is no folder of programs.
        const SHARED: [&str; 8] =
            ["/tmp", "/var/tmp", "/private", "/dev", "/proc", "/run", "/var/run", "/sys"];
        let written = value.written();
        for folder in written.split(':') {
            if matches!(folder, "$PATH" | "${PATH}") {
                return false;
            }
            let below = KNOWN.iter().find_map(|start| folder.strip_prefix(start));
            let whole = match below {
                Some(_) => Some(folder.to_owned()),
                None => join(self.state.cwd.as_deref(), folder),
            };
            let is_shared =
                |whole: &String| SHARED.iter().any(|one| Path::new(whole).starts_with(one));
            let is_known = !folder.is_empty()
                && !folder.split('/').any(|name| name == "..")
                && whole.is_some_and(|whole| !is_shared(&whole))
                && !below.unwrap_or(folder).contains(['$', '`', '*', '?', '['])
                && self.files.is_empty()
                && self.names.is_empty();
            if !SYSTEM.contains(&folder) && !is_known {
                return true;
            }
        }
        false
    }
}

/// Words of `kill` that are not known are numbers of processes: what gives them, such as `pgrep` or a file with a
/// number, writes neither options nor `-1`.
fn take_for_processes(run: &mut Run) {
    for word in &mut run.args {
        if word.known_prefix().is_empty() && word.has_unknown() {
            *word = Word::text(word.written());
        }
    }
}
