//! Where recorded steps come from: a journal, or files with one envelope or one entry of a journal a line.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::ConfigHash;
use hookgate::contract::dialect::Dialect;
use hookgate::contract::json::Integers;
use hookgate_store::{Entry, Filter, Reader, Says};
use tokio::sync::mpsc;

use super::of_agent::AgentLines;
use super::recorded::{Definitions, NoStep, Place, RecordedStep};
use crate::abort::Abort;
use crate::input::envelope;
use crate::input::files;
use crate::input::lines::{Line, Lines};
use crate::journal::{failure, open_to_read};
use crate::terminal::progress::Progress;

/// How the file of an SQLite database begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// How many steps are handed over together.
const TOGETHER: usize = 256;

/// How many of these are read ahead.
const AHEAD: usize = 4;

/// What is read.
#[derive(Debug)]
pub(crate) enum Item {
    Step(Box<RecordedStep>),
    /// A line that is no step: where it is, and why.
    Unreadable(String, String),
}

/// What was read beside steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Records whose step was deleted, or of which only a hash was kept.
    pub(crate) without_envelope: u64,
    /// How many of the former were not asked for: hooks that count do not count them.
    pub(crate) earlier_without_envelope: u64,
}

/// Recorded steps, in their order.
pub(crate) struct Source {
    inputs: VecDeque<Input>,
    open: Option<Open>,
    counts: Counts,
    /// What the hooks of each config did, as far as entries have told it.
    definitions: HashMap<ConfigHash, Definitions>,
    /// The agent that has written the lines, if one has.
    agent: Option<AgentLines>,
}

enum Input {
    Journal(PathBuf, Filter),
    Lines(PathBuf),
    Steps(Vec<RecordedStep>),
}

enum Open {
    Journal(mpsc::Receiver<Result<Vec<Read>, Abort>>, VecDeque<Read>),
    Lines(Lines, Arc<str>, VecDeque<Item>),
    Steps(std::vec::IntoIter<RecordedStep>),
}

/// What is read of a journal.
enum Read {
    Step(Box<RecordedStep>),
    NoStep(NoStep, bool),
}

impl Source {
    /// Opens a journal, of which the entries are read that a filter asks for.
    pub(crate) fn journal(file: PathBuf, filter: Filter) -> Self {
        Self::of([Input::Journal(file, filter)])
    }

    /// Opens files: each is a journal or has one step a line; `-` is stdin, and a folder is all *.jsonl in it.
    ///
    /// # Errors
    /// One is not there or cannot be read; or there is a filter, and one is no journal.
    pub(crate) fn files(paths: &[PathBuf], filter: Option<&Filter>) -> Result<Self, Abort> {
        let inputs = files::expand(paths)?.into_iter().map(|file| match is_journal(&file)? {
            true => Ok(Input::Journal(file, filter.cloned().unwrap_or_default())),
            false if filter.is_some() => {
                let message =
                    format!("`{}` is no journal, and only a journal is filtered", file.display());
                Err(Abort::usage(message))
            }
            false => Ok(Input::Lines(file)),
        });
        Ok(Self::of(inputs.collect::<Result<Vec<_>, Abort>>()?))
    }

    /// Takes steps that were read already.
    pub(crate) fn steps(steps: Vec<RecordedStep>) -> Self {
        Self::of([Input::Steps(steps)])
    }

    fn of(inputs: impl IntoIterator<Item = Input>) -> Self {
        Self {
            inputs: inputs.into_iter().collect(),
            open: None,
            counts: Counts::default(),
            definitions: HashMap::new(),
            agent: None,
        }
    }

    /// Reads lines as an agent writes them.
    pub(crate) fn of_agent(self, dialect: Option<Arc<dyn Dialect>>) -> Self {
        Self { agent: dialect.map(AgentLines::new), ..self }
    }

    /// Returns a bar over what is read; hidden if that is not known.
    pub(crate) fn progress(&self, hides_it: bool) -> Progress {
        let sizes = self.inputs.iter().map(|input| match input {
            Input::Journal(..) | Input::Steps(_) => None,
            Input::Lines(file) => files::length(std::slice::from_ref(file)),
        });
        Progress::over_bytes(sizes.sum(), hides_it)
    }

    /// Returns what was read beside steps.
    pub(crate) const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the next step.
    ///
    /// # Errors
    /// A journal or a file cannot be read.
    pub(crate) async fn next(&mut self, progress: &Progress) -> Result<Option<Item>, Abort> {
        loop {
            let Some(open) = &mut self.open else {
                match self.inputs.pop_front() {
                    None => return Ok(None),
                    Some(input) => self.open = Some(Open::of(input)?),
                }
                continue;
            };
            match open {
                Open::Journal(receiver, ready) => match ready.pop_front() {
                    Some(Read::Step(step)) => return Ok(Some(Item::Step(step))),
                    Some(Read::NoStep(why, is_wanted)) => self.counts.add(why, is_wanted),
                    None => match receiver.recv().await.transpose()? {
                        Some(steps) => ready.extend(steps),
                        None => self.open = None,
                    },
                },
                Open::Steps(steps) => match steps.next() {
                    Some(step) => return Ok(Some(Item::step(step))),
                    None => self.open = None,
                },
                Open::Lines(lines, name, ready) => {
                    if let Some(item) = ready.pop_front() {
                        return Ok(Some(item));
                    }
                    match lines.next().await? {
                        None => self.open = None,
                        Some(line) => {
                            progress.advance_bytes(line.size, 0);
                            let place = Place::Line(Arc::clone(name), line.number);
                            let items = self.read_line(&place, &line);
                            if let Some(Open::Lines(_, _, ready)) = &mut self.open {
                                ready.extend(items);
                            }
                        }
                    }
                }
            }
        }
    }

    fn read_line(&mut self, place: &Place, line: &Line) -> Vec<Item> {
        let wrong = |column: usize, why: &str| {
            vec![Item::Unreadable(
                format!("{place}:{column}"),
                format!("the step could not be read: {why}"),
            )]
        };
        let Some(bytes) = &line.bytes else { return wrong(1, "the line is longer than 16 MiB") };
        let bytes = bytes.trim_ascii_end();
        if bytes.is_empty() {
            return Vec::new();
        }
        let object = match envelope::object(bytes, Integers::Exact) {
            Ok(object) => object,
            Err(unreadable) => return wrong(unreadable.column, &unreadable.message),
        };
        if let Some(agent) = &mut self.agent {
            return match agent.read(object) {
                Err(error) => wrong(1, &error),
                Ok(told) => told
                    .into_iter()
                    .map(|told| {
                        Item::step(RecordedStep::of_envelope(
                            place.clone(),
                            told.envelope,
                            told.time,
                        ))
                    })
                    .collect(),
            };
        }
        if !(object.contains_key("seq") && object.contains_key("kind")) {
            return vec![Item::step(RecordedStep::of_envelope(place.clone(), object, None))];
        }
        // One that `hookgate log --json` has printed.
        match Entry::from_object(object).map(|entry| entry.says) {
            Err(error) => wrong(1, &error.to_string()),
            Ok(Says::Config(config)) => {
                self.definitions.insert(config.config_hash, Arc::new(config.hooks));
                Vec::new()
            }
            Ok(Says::Step(record)) => match RecordedStep::of_record(place.clone(), record) {
                Ok(mut step) => {
                    let hash = step.config_hash();
                    if let Some(was) = &mut step.was {
                        was.definitions =
                            hash.and_then(|hash| self.definitions.get(&hash).cloned());
                    }
                    vec![Item::step(step)]
                }
                Err(why) => {
                    self.counts.add(why, true);
                    Vec::new()
                }
            },
            Ok(_) => Vec::new(),
        }
    }
}

impl Item {
    fn step(step: RecordedStep) -> Self {
        Self::Step(Box::new(step))
    }
}

impl Counts {
    fn add(&mut self, why: NoStep, is_wanted: bool) {
        match (why, is_wanted) {
            (NoStep::OfOtherStep, _) => {}
            (NoStep::WithoutEnvelope, true) => self.without_envelope += 1,
            (NoStep::WithoutEnvelope, false) => self.earlier_without_envelope += 1,
        }
    }
}

fn is_journal(file: &Path) -> Result<bool, Abort> {
    // Nothing is taken of what can be read once only.
    if !file.is_file() {
        return Ok(false);
    }
    let mut begin = [0; SQLITE.len()];
    let mut open = File::open(file).map_err(|error| Abort::file("read", file, &error))?;
    Ok(open.read_exact(&mut begin).is_ok() && begin == *SQLITE)
}

impl Open {
    fn of(input: Input) -> Result<Self, Abort> {
        match input {
            Input::Steps(steps) => Ok(Self::Steps(steps.into_iter())),
            Input::Lines(file) => {
                let lines = Lines::open(Some(&file))?;
                let name = Arc::from(lines.name());
                Ok(Self::Lines(lines, name, VecDeque::new()))
            }
            Input::Journal(file, filter) => {
                let reader = open_to_read(&file)?;
                let (sender, receiver) = mpsc::channel(AHEAD);
                // What is read and what is judged is the work of two.
                std::thread::Builder::new()
                    .name("journal".to_owned())
                    .spawn(move || JournalReader::new(reader, sender).run(&filter))
                    .map_err(|error| {
                        Abort::failure(format!("a thread cannot be started: {error}"))
                    })?;
                Ok(Self::Journal(receiver, VecDeque::new()))
            }
        }
    }
}

/// Reads a journal, and hands over what it has read.
struct JournalReader {
    reader: Reader,
    sender: mpsc::Sender<Result<Vec<Read>, Abort>>,
    definitions: KnownDefinitions,
}

impl JournalReader {
    fn new(reader: Reader, sender: mpsc::Sender<Result<Vec<Read>, Abort>>) -> Self {
        Self { reader, sender, definitions: KnownDefinitions::default() }
    }

    fn run(mut self, filter: &Filter) {
        if let Err(error) = self.read(filter) {
            // Who does not listen any more needs no error.
            let _ = self.sender.blocking_send(Err(error));
        }
    }

    fn read(&mut self, filter: &Filter) -> Result<(), Abort> {
        let wanted = match *filter == Filter::default() {
            true => None,
            false => {
                let numbers = self.reader.numbers(filter).map_err(|error| failure(&error))?;
                Some(numbers.into_iter().collect::<HashSet<u64>>())
            }
        };
        let Self { reader, sender, definitions } = self;
        let mut together = Vec::with_capacity(TOGETHER);
        let hand_over = |entry: Entry| {
            let is_wanted = wanted.as_ref().is_none_or(|wanted| wanted.contains(&entry.seq));
            if let Says::Step(record) = entry.says {
                let step = RecordedStep::of_record(Place::Entry(entry.seq), record);
                together.push(match step {
                    Err(why) => Read::NoStep(why, is_wanted),
                    Ok(mut step) => {
                        step.is_wanted = is_wanted;
                        let hash = step.config_hash();
                        if let (Some(was), Some(hash)) = (&mut step.was, hash) {
                            was.definitions = definitions.of(reader, hash);
                        }
                        Read::Step(Box::new(step))
                    }
                });
            }
            together.len() < TOGETHER
                || sender.blocking_send(Ok(std::mem::take(&mut together))).is_ok()
        };
        let read = reader.for_each(&filter.clone().whole_sessions(), hand_over);
        read.map_err(|error| failure(&error))?;
        // Who does not listen any more needs no last steps.
        let _ = sender.blocking_send(Ok(together));
        Ok(())
    }
}

/// What the hooks of each config did.
#[derive(Default)]
struct KnownDefinitions(HashMap<ConfigHash, Option<Definitions>>);

impl KnownDefinitions {
    fn of(&mut self, reader: &Reader, hash: ConfigHash) -> Option<Definitions> {
        let look_up = || {
            let config = reader.config(&hash.to_string()).ok().flatten()?;
            Some(Arc::new(config.hooks)).filter(|hooks| !hooks.is_empty())
        };
        self.0.entry(hash).or_insert_with(look_up).clone()
    }
}
