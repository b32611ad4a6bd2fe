//! Goes through a text that was read, in the order in which the shell would.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::chain::Succeeds;
use super::endless::Jobs;
use super::project_scripts::Scripts;
use super::redirects::reads_elsewhere;
use super::state::{State, Variable};
use super::status::{Status, surely_ends};
use super::syntax::tree::{Command, Item, Joint, Kind, List, Pipeline};
use super::syntax::{self, MAX_DEPTH};
use super::traps::Trap;
use super::written_files::WrittenFile;
use super::{LooseRedirect, ShellReading};
use crate::checkout::Checkout;
use crate::effects::{Surroundings, Unclear, UnclearWhat};
use crate::line_files::LineFiles;
use crate::run::{CodeFrom, Origin, Output, Place, Run};
use crate::word::Word;

/// The most unclear things that are listed.
const MOST_UNCLEAR: usize = 64;

/// What a program gets on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// That of the session: nobody knows.
    Session,
    /// A here-document or a here-string.
    Text(Word),
    /// What `echo` or `printf` write into a pipe.
    Piped(Word),
    /// What a program writes, and which; and its run, if that is a search, from which nothing else than names comes.
    From(CodeFrom, String, Option<Arc<Run>>),
}

/// Goes through a text and collects what it would run.
#[derive(Debug)]
pub(super) struct Walker<'a> {
    pub(super) around: &'a Surroundings,
    pub(super) runs: Vec<Run>,
    pub(super) loose: Vec<LooseRedirect>,
    pub(super) unclear: Vec<Unclear>,
    pub(super) complete: bool,
    pub(super) state: Rc<State>,
    /// The programs that run what is looked at.
    pub(super) via: Vec<String>,
    pub(super) place: Place,
    pub(super) origin: Origin,
    pub(super) input: Input,
    pub(super) depth: usize,
    /// How much may still be looked at: texts that grow while they are followed end here.
    fuel: usize,
    pub(super) exhausted: bool,
    /// Expansions whose text comes from a program, and from which kind.
    pub(super) sources: HashMap<String, CodeFrom>,
    /// Expansions by their text, and the search whose names they are; `None` if they are something else, or were at one
    /// of several places: the same text may mean another thing there.
    pub(super) searches: HashMap<String, Option<Arc<Run>>>,
    /// The search whose names the pipeline before this point writes.
    pub(super) piped_search: Option<Arc<Run>>,
    /// The command that writes what this part of a pipeline reads, if these are words that begin with no sign.
    pub(super) piped_words: Option<String>,
    /// What the last `cat` without a file passes on, and which run that is.
    pub(super) passed: Option<(usize, Input)>,
    /// Expansions whose text makes a shell ready for a program.
    pub(super) setups: HashSet<String>,
    /// Texts that were computed from the output of a program.
    pub(super) computed: Vec<String>,
    /// Files that were written before this point.
    pub(super) files: Vec<WrittenFile>,
    /// Scripts of the project that were read.
    pub(super) scripts: Scripts,
    /// Links, mounts, moved files and copies that were made before this point.
    pub(super) names: LineFiles,
    /// Settings of git that the line has made, and that decide what a later `git` does.
    pub(super) git_settings: Vec<(String, Word)>,
    /// What is not known of code that stands in a word.
    pub(super) holes: Vec<String>,
    /// Variables that the running function has for itself, and what they were before.
    pub(super) locals: BTreeMap<String, Option<Variable>>,
    /// Functions that run at this point, and the jobs when they began.
    pub(super) active: Vec<(String, Jobs)>,
    /// What runs in the background.
    pub(super) jobs: Jobs,
    /// What becomes of exit statuses.
    pub(super) status: Status,
    /// Code that the shell runs when it ends.
    pub(super) traps: Vec<Trap>,
    /// What the line has changed of what is checked out.
    pub(super) checkouts: Vec<Checkout>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(around: &'a Surroundings, length: usize) -> Self {
        let state = State { cwd: around.cwd.clone(), ..State::default() };
        Self {
            around,
            runs: Vec::new(),
            loose: Vec::new(),
            unclear: Vec::new(),
            complete: true,
            state: Rc::new(state),
            via: Vec::new(),
            place: Place::Local,
            origin: Origin::Text,
            input: Input::Session,
            depth: 0,
            fuel: 2048 + length.saturating_mul(4),
            exhausted: false,
            sources: HashMap::new(),
            searches: HashMap::new(),
            piped_search: None,
            piped_words: None,
            passed: None,
            setups: HashSet::new(),
            computed: Vec::new(),
            files: Vec::new(),
            scripts: Scripts::default(),
            names: LineFiles::default(),
            git_settings: Vec::new(),
            holes: Vec::new(),
            locals: BTreeMap::new(),
            active: Vec::new(),
            jobs: Jobs::default(),
            status: Status::default(),
            traps: Vec::new(),
            checkouts: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> ShellReading {
        ShellReading {
            runs: self.runs,
            redirects: self.loose,
            unclear: self.unclear,
            complete: self.complete,
        }
    }

    /// Goes through a text in the shell as it is.
    pub(super) fn text(&mut self, text: &str) {
        let script = syntax::parse(text, self.depth);
        if let Some(problem) = script.problem {
            self.unclear(UnclearWhat::Anything, problem.why(), None);
        }
        self.list(&script.list);
    }

    /// Notes that something cannot be told.
    pub(super) fn unclear(
        &mut self,
        what: UnclearWhat,
        why: impl Into<String>,
        run: Option<usize>,
    ) {
        if matches!(what, UnclearWhat::Anything | UnclearWhat::Program) {
            self.complete = false;
        }
        let unclear = Unclear { what, why: why.into(), run };
        if self.unclear.len() < MOST_UNCLEAR && !self.unclear.contains(&unclear) {
            self.unclear.push(unclear);
            if self.unclear.len() == MOST_UNCLEAR {
                let why = "there is more that cannot be told than is listed".to_owned();
                self.unclear.push(Unclear { what: UnclearWhat::Anything, why, run: None });
                self.complete = false;
            }
        }
    }

    /// Uses up some of what may be looked at; false if nothing is left.
    pub(super) fn spend(&mut self, amount: usize) -> bool {
        if self.fuel < amount {
            if !self.exhausted {
                self.exhausted = true;
                self.fuel = 0;
                let why = "the command runs too much to be followed";
                self.unclear(UnclearWhat::Anything, why, None);
            }
            return false;
        }
        self.fuel -= amount;
        true
    }

    /// Lets as much more be looked at as a text of this length needs.
    pub(super) fn refuel(&mut self, length: usize) {
        self.fuel = self.fuel.saturating_add(length.saturating_mul(4));
    }

    /// The state of the shell, to be changed. It is copied if another way through the text has it.
    pub(super) fn change(&mut self) -> &mut State {
        if Rc::strong_count(&self.state) > 1 {
            self.spend(self.state.size() / 4);
        }
        Rc::make_mut(&mut self.state)
    }

    /// Goes through something in a shell of its own, which changes nothing here.
    pub(super) fn in_subshell(&mut self, go: impl FnOnce(&mut Self)) {
        let state = Rc::clone(&self.state);
        let input = self.input.clone();
        let jobs = self.jobs;
        let ended = self.status.may_have_ended;
        let traps = std::mem::take(&mut self.traps);
        self.jobs = jobs.inside();
        go(self);
        self.end_of_shell();
        self.traps = traps;
        self.jobs = jobs.after_subshell(self.jobs);
        self.status.may_have_ended = ended;
        self.state = state;
        self.input = input;
    }

    /// Goes through something that may run or not.
    pub(super) fn in_branch(&mut self, go: impl FnOnce(&mut Self)) {
        let before = Rc::clone(&self.state);
        let checkouts = self.checkouts.len();
        self.perhaps(go);
        self.checkouts_uncertain(checkouts);
        self.merge(&before);
    }

    pub(super) fn merge(&mut self, before: &Rc<State>) {
        if !Rc::ptr_eq(before, &self.state) {
            self.spend(self.state.size() / 4);
            self.change().merge(before);
        }
    }

    pub(super) fn list(&mut self, list: &List) {
        // The shell before the first part that does not surely run.
        let mut before: Option<Rc<State>> = None;
        // The shell before the first part that mostly succeeds: all but its folder may still be so.
        let mut elsewhere: Option<Rc<State>> = None;
        let mut succeeds = Succeeds::Surely;
        // The folder before a list of `&&` and `||`.
        let mut folder = None;
        for (at, item) in list.iter().enumerate() {
            match item.joint {
                Joint::Next => {
                    folder.clone_from(&self.state.cwd);
                    self.merge_chain(&mut before, &mut elsewhere);
                    self.item(list, at);
                }
                Joint::And => {
                    match succeeds {
                        Succeeds::Perhaps if before.is_none() => {
                            before = Some(Rc::clone(&self.state));
                        }
                        Succeeds::Mostly if elsewhere.is_none() => {
                            elsewhere = Some(Rc::clone(&self.state));
                        }
                        _ => {}
                    }
                    if before.is_some() {
                        self.perhaps(|walker| walker.item(list, at));
                    } else {
                        self.item(list, at);
                    }
                }
                Joint::Or => {
                    self.merge_chain(&mut before, &mut elsewhere);
                    let doubtful = self.state.doubtful.clone();
                    self.folder_may_be(folder.as_deref());
                    self.in_branch(|walker| walker.item(list, at));
                    // Behind `cd x || exit` the folder is there.
                    if surely_ends(item, !self.active.is_empty()) {
                        self.change().doubtful = doubtful;
                    }
                }
            }
            succeeds = self.succeeds(item);
            if self.goes_on_after_failure(list, at) {
                self.folder_may_be(folder.as_deref());
            }
        }
        self.merge_chain(&mut before, &mut elsewhere);
    }

    /// Ends a list of `&&`: what stood before its parts that may not have run may still hold.
    fn merge_chain(&mut self, before: &mut Option<Rc<State>>, elsewhere: &mut Option<Rc<State>>) {
        if let Some(before) = before.take() {
            self.merge(&before);
        }
        if let Some(elsewhere) = elsewhere.take()
            && !Rc::ptr_eq(&elsewhere, &self.state)
        {
            let here = Rc::clone(&self.state);
            self.merge(&elsewhere);
            let state = self.change();
            state.cwd.clone_from(&here.cwd);
            state.folders.clone_from(&here.folders);
        }
    }

    fn item(&mut self, list: &List, at: usize) {
        let Some(item) = list.get(at) else { return };
        let outer = self.begin_item(list, at);
        self.in_list(item);
        self.end_item(outer, list, at);
    }

    fn in_list(&mut self, item: &Item) {
        if item.background {
            self.forked(true, |walker| {
                walker.in_subshell(|walker| walker.pipeline(&item.pipeline));
            });
        } else {
            self.pipeline(&item.pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        if pipeline.timed {
            self.push_run(Run { program: Word::text("time"), ..Run::default() });
        }
        if let [command] = pipeline.commands.as_slice() {
            self.command(command);
            return;
        }
        let outer = self.input.clone();
        let before = Rc::clone(&self.state);
        let last = pipeline.commands.len().saturating_sub(1);
        let mut stages = Vec::new();
        for (place, command) in pipeline.commands.iter().enumerate() {
            let first_run = self.runs.len();
            let input = self.input.clone();
            let jobs = self.jobs;
            let ended = self.status.may_have_ended;
            self.jobs = jobs.inside();
            let counts = place == last || self.state.pipefail;
            self.forked(false, |walker| match counts {
                true => walker.command(command),
                false => walker.apart(|walker| walker.command(command)),
            });
            self.jobs = jobs.after_subshell(self.jobs);
            self.status.may_have_ended = ended;
            stages.push((command, first_run..self.runs.len()));
            // Each part is a shell of its own; the last one may be this shell (`lastpipe`).
            if place == last {
                self.piped_search = self.search(first_run, &input);
                self.merge(&before);
            } else {
                self.state = Rc::clone(&before);
                self.input = self.output_of(first_run, &input);
                self.piped_words = self.plain_words(first_run);
            }
        }
        self.input = outer;
        self.piped_words = None;
        for stage in stages.windows(2) {
            let [(writer, runs), (reader, readers)] = stage else { continue };
            // zsh writes into the pipe, too.
            for run in self.runs.get_mut(runs.clone()).into_iter().flatten() {
                if run.output == Output::Nowhere {
                    run.output = Output::Elsewhere;
                }
            }
            let (Kind::Simple(program), Kind::Simple(_)) = (&writer.kind, &reader.kind) else {
                continue;
            };
            if let (1, 1, false) = (runs.len(), readers.len(), reads_elsewhere(&reader.redirects))
                && let Some(run) = self.runs.get_mut(runs.start)
                // A function has redirections of its own.
                && run.program.known().as_deref() == program.words.first().and_then(|word| word.bare())
                && run.output == Output::Shown
            {
                run.output = Output::Pipe;
            }
        }
    }

    pub(super) fn command(&mut self, command: &Command) {
        if self.depth > 2 * MAX_DEPTH || !self.spend(4) {
            if self.depth > 2 * MAX_DEPTH {
                self.unclear(UnclearWhat::Anything, syntax::Problem::Deep.why(), None);
            }
            return;
        }
        self.depth += 1;
        match &command.kind {
            Kind::Simple(simple) => self.simple(simple, &command.redirects),
            kind => {
                if command.redirects.is_empty() {
                    self.compound(kind);
                } else {
                    let input = self.input.clone();
                    let redirects = self.redirects(&command.redirects);
                    self.keep_loose(redirects);
                    self.compound(kind);
                    self.input = input;
                }
            }
        }
        self.depth -= 1;
    }

    pub(super) fn push_run(&mut self, mut run: Run) -> usize {
        run.via.clone_from(&self.via);
        run.place = self.place;
        run.origin = self.origin;
        run.doubtful.clone_from(&self.state.doubtful);
        run.status_lost = !self.status_counts();
        run.checkouts.clone_from(&self.checkouts);
        if self.place == Place::Local {
            run.cwd.clone_from(&self.state.cwd);
            run.files.clone_from(&self.names);
        }
        if run.args.is_empty() && run.name().as_deref() == Some("cat") {
            self.passed = Some((self.runs.len(), self.input.clone()));
        }
        self.runs.push(run);
        self.runs.len() - 1
    }

    /// Returns the name of the program of a run, empty if it is not known.
    pub(super) fn name_of(&self, by: usize) -> String {
        self.runs.get(by).and_then(Run::name).map(Cow::into_owned).unwrap_or_default()
    }
}
