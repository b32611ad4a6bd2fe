//! A command of PowerShell: a cmdlet, a function, or a program by its name.

use super::super::start::Launch;
use super::super::walk::Input;
use super::bind::{Bound, Given, bind};
use super::commands::{self, Command, Special, Verb};
use super::paths::{self, Provider};
use super::session::Session;
use crate::effects::UnclearWhat;
use crate::programs;
use crate::run::{Redirect, Run};
use crate::word::{Word, WordPart};

/// Commands that hand on what they get.
const PASSES_ON: [&str; 4] = ["Where-Object", "Select-Object", "Sort-Object", "Tee-Object"];

impl Session<'_, '_> {
    /// Goes through a command, and returns what it gives, if that is known.
    pub(super) fn command(
        &mut self,
        name: &Word,
        given: Vec<Given>,
        redirects: Vec<Redirect>,
        piped: Option<Option<&[Word]>>,
    ) -> Option<Vec<Word>> {
        let Some(known) = name.known() else {
            // A block was gone through already.
            if !name.written().starts_with('{') {
                self.program(name.clone(), given, redirects);
            }
            return None;
        };
        let lower = known.to_lowercase();
        // `Microsoft.PowerShell.Management\Remove-Item`
        let bare = lower.rsplit('\\').next().filter(|bare| bare.contains('-')).unwrap_or(&lower);
        if self.functions.contains(bare) {
            self.walker.keep_loose(redirects);
            return None;
        }
        if let Some((title, command)) = commands::cmdlet(bare) {
            let home = self.home();
            let bound = bind(command, given.clone(), home.as_deref());
            // `rm -rf`, `curl -fsSL`: the program, which has the name of an alias.
            let is_program = !title.eq_ignore_ascii_case(bare) && programs::is_listed(bare);
            if !(bound.has_unknown && is_program) {
                return self.cmdlet(title, command, bound, redirects, piped);
            }
        }
        if lower.ends_with(".ps1") {
            let mut words = vec![Word::text("pwsh"), Word::text("-File")];
            words.push(paths::normal(name, self.home().as_deref()));
            self.start(words, given, redirects);
            return None;
        }
        match commands::verb_of(bare) {
            Some((verb, noun)) => self.by_verb(&known, verb, noun, given, redirects),
            None => self.program(Word::text(lower.as_str()), given, redirects),
        }
        None
    }

    /// Goes through a command of PowerShell: it is noted, and so is the program that does the same.
    pub(super) fn cmdlet(
        &mut self,
        title: &'static str,
        command: &'static Command,
        mut bound: Bound,
        redirects: Vec<Redirect>,
        piped: Option<Option<&[Word]>>,
    ) -> Option<Vec<Word>> {
        let input = command.input.as_deref().or(command.positions.first().map(String::as_str));
        if let (Some(words), Some(input)) = (piped, input.filter(|input| !input.is_empty()))
            && bound.get(input).is_none()
        {
            let unknown = || vec![Word::unknown("what comes through the pipe", true)];
            bound.set(input, words.map_or_else(unknown, <[Word]>::to_vec));
        }
        let by = self.walker.push_run(Run {
            program: Word::text(title),
            args: std::mem::take(&mut bound.words),
            redirects,
            is_cmdlet: true,
            ..Run::default()
        });
        if bound.is_trial {
            return None;
        }
        match command.special {
            Some(Special::Code) => self.run_code(&bound, by),
            Some(Special::Compile) if bound.get("typedefinition").is_none() => {}
            Some(Special::Compile | Special::Unread) => {
                let why = format!("what `{title}` runs is not read");
                self.walker.unclear(UnclearWhat::Program, why, Some(by));
            }
            Some(Special::NewItem) | None => self.same_program(title, command, &bound),
        }
        given_by(title, command, &bound, piped.flatten())
    }

    fn same_program(&mut self, title: &'static str, command: &Command, bound: &Bound) {
        let provider =
            bound.paths(command).map(paths::provider).find(|one| *one != Provider::Files);
        let template = match provider {
            None | Some(Provider::Files) => command.run.as_ref(),
            Some(Provider::Registry) => command.registry.as_ref(),
            Some(Provider::Variables) => command.variables.as_ref(),
            Some(Provider::Other) => None,
        };
        let Some(template) = template else { return };
        let is_variable = provider == Some(Provider::Variables);
        let mut words = template.fill(|name| {
            let values = bound.get(name)?;
            Some(if is_variable {
                values.iter().filter_map(paths::variable).collect()
            } else {
                values
            })
        });
        if command.special == Some(Special::NewItem) {
            new_item(bound, &mut words);
        }
        if !words.is_empty() {
            self.walker.run_by(title, |walker| walker.start(words, Launch::default()));
        }
    }

    /// Goes through the code that `Invoke-Expression` gets.
    fn run_code(&mut self, bound: &Bound, by: usize) {
        match (bound.get("command"), self.walker.input.clone()) {
            (_, Input::From(..)) => self.walker.code_from_input(by, false, &[]),
            (Some(codes), _) => codes.iter().for_each(|code| self.code(code, Some(by))),
            (None, Input::Text(code) | Input::Piped(code)) => self.code(&code, Some(by)),
            (None, Input::Session) => {}
        }
    }

    /// A command that is not listed: its verb says what it is about.
    fn by_verb(
        &mut self,
        written: &str,
        verb: Verb,
        noun: &str,
        given: Vec<Given>,
        redirects: Vec<Redirect>,
    ) {
        let is_trial = given.iter().any(|one| {
            matches!(one, Given::Parameter { name, .. } if name.eq_ignore_ascii_case("whatif"))
        });
        let args: Vec<Word> = words_of(given);
        let operands: Vec<Word> =
            args.iter().filter(|word| !word.known_prefix().starts_with('-')).cloned().collect();
        let run = Run {
            program: Word::text(written),
            args,
            redirects,
            // What it does with the paths in its words is not known.
            is_cmdlet: verb == Verb::Harmless,
            ..Run::default()
        };
        self.walker.push_run(run);
        if let (Verb::Loss(word), false) = (verb, is_trial) {
            let mut words = vec![Word::text(noun), Word::text(word)];
            words.extend(operands);
            self.walker.run_by(written, |walker| walker.start(words, Launch::default()));
        }
    }

    /// A program that is no command of PowerShell.
    fn program(&mut self, name: Word, given: Vec<Given>, redirects: Vec<Redirect>) {
        self.start(vec![paths::normal(&name, None)], given, redirects);
    }

    fn start(&mut self, mut words: Vec<Word>, given: Vec<Given>, redirects: Vec<Redirect>) {
        words.extend(words_of(given).iter().map(paths::word_of_program));
        self.walker.start(words, Launch { redirects, ..Launch::default() });
    }
}

/// What a command gives to the next one, if that is known.
fn given_by(
    title: &str,
    command: &Command,
    bound: &Bound,
    piped: Option<&[Word]>,
) -> Option<Vec<Word>> {
    if PASSES_ON.contains(&title) {
        return piped.map(<[Word]>::to_vec);
    }
    match title {
        "Write-Output" => bound.get("inputobject"),
        "Join-Path" => {
            let mut path = bound.get("path")?.into_iter().next()?;
            for child in bound.get("childpath").unwrap_or_default() {
                path.push(WordPart::Text("/".to_owned()));
                let child = paths::normal(&child, None);
                child.parts.into_iter().for_each(|part| path.push(part));
            }
            Some(vec![path])
        }
        "Get-ChildItem" => {
            let folders = bound.get("path").unwrap_or_else(|| vec![Word::text(".")]);
            let names = bound.get("filter").or_else(|| bound.get("include"));
            let Some(names) = names else { return Some(folders) };
            let in_folder = |folder: &Word, name: &Word| {
                let mut path = folder.clone();
                path.push(WordPart::Text("/".to_owned()));
                paths::normal(name, None).parts.into_iter().for_each(|part| path.push(part));
                path
            };
            let all =
                folders.iter().flat_map(|folder| names.iter().map(move |name| (folder, name)));
            Some(all.map(|(folder, name)| in_folder(folder, name)).collect())
        }
        "Get-Item" | "Resolve-Path" | "Convert-Path" | "Get-ItemProperty" => {
            command.positions.first().and_then(|path| bound.get(path))
        }
        _ => None,
    }
}

/// `New-Item` makes files, folders and links.
fn new_item(bound: &Bound, words: &mut Vec<Word>) {
    let kind =
        bound.get("itemtype").and_then(|words| words.first()?.known().map(|k| k.to_lowercase()));
    let program = match kind.as_deref() {
        Some(kind) if "directory".starts_with(kind) => "mkdir",
        Some("symboliclink" | "junction" | "hardlink") => "ln",
        _ => return,
    };
    if words.first().and_then(Word::known).as_deref() == Some("touch") {
        let link = bound.get("value").unwrap_or_default();
        words.splice(..1, [Word::text(program)]);
        if program == "ln" {
            words.splice(1..1, [Word::text("-s"), Word::text("-f")].into_iter().chain(link));
        }
    }
}

fn words_of(given: Vec<Given>) -> Vec<Word> {
    let mut words = Vec::new();
    for one in given {
        match one {
            Given::Values(values) => words.extend(values),
            Given::Parameter { written, value, .. } => {
                let mut word = Word::text(written);
                if let Some(value) = value {
                    word.push(WordPart::Text(":".to_owned()));
                    let value = super::super::builtins::joined(value.iter());
                    value.parts.into_iter().for_each(|part| word.push(part));
                }
                words.push(word);
            }
        }
    }
    words
}
