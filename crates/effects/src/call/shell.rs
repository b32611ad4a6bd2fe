//! The effects of a command line.

use std::borrow::Cow;

use super::Call;
use crate::effects::{Effects, Surroundings, Unclear, UnclearWhat};
use crate::patch_text::has_patch;
use crate::programs::{behind_pipes, effects_of, push_of};
use crate::run::{Place, Run};
use crate::shell::{self, LooseRedirect, ShellReading};

/// The names of the program that applies patches.
const PATCHERS: [&str; 2] = ["apply_patch", "applypatch"];

impl Call<'_> {
    /// Adds what a shell would do with a text.
    pub(super) fn shell_text(&mut self, text: &str, folder: Option<&str>) {
        let around =
            Surroundings { cwd: folder.map(str::to_owned), home: self.around.home.clone() };
        self.add_reading(shell::read(text, &around), text, &around);
    }

    /// Adds what PowerShell would do with a text.
    pub(super) fn powershell_text(&mut self, text: &str, folder: Option<&str>) {
        let around =
            Surroundings { cwd: folder.map(str::to_owned), home: self.around.home.clone() };
        let mut reading = shell::read_powershell(text, &around);
        // Its reader does not say what becomes of the status of one of several programs.
        let is_one = reading.runs.len() == 1;
        reading.runs.iter_mut().for_each(|run| run.status_lost |= !is_one);
        self.add_reading(reading, text, &around);
    }

    fn add_reading(&mut self, reading: ShellReading, text: &str, around: &Surroundings) {
        let first = self.effects.runs.len();
        for unclear in reading.unclear {
            let run = unclear.run.map(|at| at + first);
            self.effects.unclear.push(Unclear { run, ..unclear });
        }
        self.effects.more_programs |= !reading.complete;
        for redirect in reading.redirects {
            self.loose_redirect(redirect, around);
        }
        // What a search finds is known to the runs behind it only if it stands there already.
        for run in reading.runs {
            let at = self.effects.runs.len();
            effects_of(&run, at, around, &mut self.effects);
            self.patch_of_run(&run, at, text);
            let earlier = self.effects.runs.get(first..).unwrap_or_default();
            let push = push_of(&run, at, earlier, self.around.home.as_deref());
            self.effects.pushes.extend(push);
            self.effects.runs.push(run);
        }
        behind_pipes(&mut self.effects, first);
    }

    /// Adds what a program would do that is started with these words, without a shell.
    pub(super) fn shell_words(&mut self, words: &[&str], folder: Option<&str>) {
        let quoted: Vec<Cow<'_, str>> = words.iter().map(|word| quoted(word)).collect();
        self.shell_text(&quoted.join(" "), folder);
    }

    /// Adds what a program would do that the tool stands for.
    pub(super) fn run(&mut self, run: Run) {
        effects_of(&run, self.effects.runs.len(), self.around, &mut self.effects);
        let at = self.effects.runs.len();
        self.effects.pushes.extend(push_of(&run, at, &[], self.around.home.as_deref()));
        self.effects.runs.push(run);
    }

    /// Adds the file of a redirection that belongs to no program.
    fn loose_redirect(&mut self, loose: LooseRedirect, around: &Surroundings) {
        let run = Run {
            redirects: vec![loose.redirect],
            cwd: loose.cwd,
            place: loose.place,
            files: loose.files,
            ..Run::default()
        };
        let mut effects = Effects::default();
        effects_of(&run, 0, around, &mut effects);
        for effect in
            effects.reads.iter_mut().chain(&mut effects.writes).chain(&mut effects.deletes)
        {
            (effect.by, effect.run) = (self.tool_name.to_owned(), None);
        }
        for effect in &mut effects.connects {
            (effect.by, effect.run) = (self.tool_name.to_owned(), None);
        }
        for unclear in &mut effects.unclear {
            unclear.run = None;
        }
        self.effects.reads.append(&mut effects.reads);
        self.effects.writes.append(&mut effects.writes);
        self.effects.deletes.append(&mut effects.deletes);
        self.effects.connects.append(&mut effects.connects);
        self.effects.unclear.append(&mut effects.unclear);
    }

    /// Adds the files of a patch that `apply_patch` gets: as its word, or from a here-document, which
    /// is somewhere in the text.
    fn patch_of_run(&mut self, run: &Run, index: usize, text: &str) {
        let name = run.name().filter(|name| PATCHERS.contains(&&**name));
        let Some(name) = name.filter(|_| run.place == Place::Local) else { return };
        self.program = Some((name.into_owned(), index));
        let word = run.args.iter().find_map(|word| word.known().filter(|word| has_patch(word)));
        match word {
            Some(patch) => self.patch(&patch, run.cwd.as_deref()),
            None if has_patch(text) => self.patch(text, run.cwd.as_deref()),
            None => {
                let why = "the patch that `apply_patch` gets is not known before it runs";
                self.unclear(UnclearWhat::Writes, why.to_owned());
                self.unclear(UnclearWhat::Deletes, why.to_owned());
            }
        }
        self.program = None;
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}
