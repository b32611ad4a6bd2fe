//! What is known of the commands of PowerShell and cmd: which parameters they have, and which program does the
//! same. All of it is data: `programs/data/powershell.toml`.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::template::Template;

/// The data file.
pub(in crate::shell) const DATA: &str = include_str!("../../programs/data/powershell.toml");

/// A command.
#[derive(Debug, Default)]
pub(in crate::shell) struct Command {
    pub(in crate::shell) parameters: Vec<Parameter>,
    /// The parameters that values without a name go to.
    pub(in crate::shell) positions: Vec<String>,
    /// The program that does the same.
    pub(in crate::shell) run: Option<Template>,
    pub(in crate::shell) registry: Option<Template>,
    pub(in crate::shell) variables: Option<Template>,
    /// The parameter that a pipe goes to.
    pub(in crate::shell) input: Option<String>,
    pub(in crate::shell) special: Option<Special>,
}

/// A parameter of a command.
#[derive(Debug)]
pub(in crate::shell) struct Parameter {
    /// Its names in lower case; values are kept under the first.
    pub(in crate::shell) names: Vec<String>,
    /// The first one as it is written.
    pub(in crate::shell) title: String,
    pub(in crate::shell) takes: Takes,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Takes {
    /// It is a switch.
    Nothing,
    Text,
    Path,
    /// A text that is split at blanks.
    Words,
}

/// What is done by code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::shell) enum Special {
    /// Its value is PowerShell.
    Code,
    /// Its value is code of another language, which is compiled and loaded.
    Compile,
    /// What it runs is not read.
    Unread,
    /// A file, a folder or a link, as a parameter says.
    NewItem,
}

/// A line of the data file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    parameters: String,
    #[serde(default)]
    positions: String,
    #[serde(rename = "as")]
    run: Option<String>,
    registry: Option<String>,
    variables: Option<String>,
    input: Option<String>,
    special: Option<Special>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cmdlets: BTreeMap<String, Line>,
    cmd: BTreeMap<String, Line>,
    methods: BTreeMap<String, String>,
    code: CodeLists,
    verbs: VerbLists,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeLists {
    powershell: String,
    line: String,
    unread: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerbLists {
    harmless: String,
    loss: BTreeMap<String, String>,
}

/// What a method of .NET does.
#[derive(Debug)]
pub(in crate::shell) enum Method {
    /// The same as a program.
    Run(Template),
    /// It runs PowerShell.
    PowerShell,
    /// It runs a program, or a line of cmd.
    Line,
    /// What it runs is not read.
    Unread,
}

#[derive(Debug, Default)]
struct Table {
    cmdlets: HashMap<String, (String, std::sync::Arc<Command>)>,
    cmd: HashMap<String, std::sync::Arc<Command>>,
    methods: HashMap<String, Method>,
    harmless: Vec<String>,
    loss: BTreeMap<String, String>,
}

/// Reads the data file. That it can be read is tested; a guard must not panic.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str::<File>(DATA).map_or_else(|_| Table::default(), Table::of));

/// Returns a command of PowerShell by its name or an alias in lower case, with its name.
pub(in crate::shell) fn cmdlet(name: &str) -> Option<(&'static str, &'static Command)> {
    TABLE.cmdlets.get(name).map(|(title, command)| (title.as_str(), &**command))
}

/// Returns a command of cmd by its name in lower case.
pub(in crate::shell) fn of_cmd(name: &str) -> Option<&'static Command> {
    TABLE.cmd.get(name).map(|command| &**command)
}

/// Returns what a method of .NET does, by its name in lower case.
pub(in crate::shell) fn method(name: &str) -> Option<&'static Method> {
    TABLE.methods.get(name)
}

/// What the verb of a command says that is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Verb {
    /// It only looks.
    Harmless,
    /// Something is lost, in the word that other programs have for it.
    Loss(&'static str),
    /// Anything else.
    Other,
}

/// Returns what the verb of `verb-noun` says; `None` if a name has no such form.
pub(in crate::shell) fn verb_of(name: &str) -> Option<(Verb, &str)> {
    let (verb, noun) = name.split_once('-')?;
    let is_word = |text: &str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
    if !is_word(noun) || !verb.chars().all(char::is_alphabetic) || verb.is_empty() {
        return None;
    }
    let loss = TABLE.loss.get(verb).map(|word| Verb::Loss(word));
    let harmless = TABLE.harmless.iter().any(|known| known == verb).then_some(Verb::Harmless);
    Some((loss.or(harmless).unwrap_or(Verb::Other), noun))
}

impl Table {
    fn of(file: File) -> Self {
        let mut table = Self { loss: file.verbs.loss, ..Self::default() };
        table.harmless = file.verbs.harmless.split_whitespace().map(str::to_owned).collect();
        for (names, line) in &file.cmdlets {
            let command = std::sync::Arc::new(Command::of(line));
            let mut title = "";
            for name in names.split('|') {
                // An alias belongs to the full name before it.
                if title.is_empty() || name.contains('-') {
                    title = name;
                }
                let entry = (title.to_owned(), std::sync::Arc::clone(&command));
                table.cmdlets.insert(name.to_lowercase(), entry);
            }
        }
        for (names, line) in &file.cmd {
            let command = std::sync::Arc::new(Command::of(line));
            for name in names.split('|') {
                table.cmd.insert(name.to_owned(), std::sync::Arc::clone(&command));
            }
        }
        for (names, text) in &file.methods {
            for name in names.split('|') {
                table.methods.insert(name.to_owned(), Method::Run(Template::parse(text)));
            }
        }
        let mut add = |names: &str, method: fn() -> Method| {
            for name in names.split_whitespace() {
                table.methods.insert(name.to_owned(), method());
            }
        };
        add(&file.code.powershell, || Method::PowerShell);
        add(&file.code.line, || Method::Line);
        add(&file.code.unread, || Method::Unread);
        table
    }
}

impl Command {
    fn of(line: &Line) -> Self {
        let template = |text: &Option<String>| text.as_deref().map(Template::parse);
        let lower = |text: &str| text.to_lowercase();
        Self {
            parameters: line.parameters.split_whitespace().map(Parameter::parse).collect(),
            positions: line.positions.split_whitespace().map(lower).collect(),
            run: template(&line.run),
            registry: template(&line.registry),
            variables: template(&line.variables),
            input: line.input.as_deref().map(lower),
            special: line.special,
        }
    }
}

impl Parameter {
    /// Reads `Path|LiteralPath=path`.
    pub(super) fn parse(text: &str) -> Self {
        let (names, takes) = match text.split_once('=') {
            None => (text, Takes::Nothing),
            Some((names, "path")) => (names, Takes::Path),
            Some((names, "words")) => (names, Takes::Words),
            Some((names, _)) => (names, Takes::Text),
        };
        let title = names.split('|').next().unwrap_or_default().to_owned();
        Self { names: names.split('|').map(str::to_lowercase).collect(), title, takes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line can be read, and asks only for parameters that it has.
    #[test]
    fn the_data_is_whole() {
        let file: File = toml::from_str(DATA).unwrap();
        for (names, line) in file.cmdlets.iter().chain(&file.cmd) {
            let command = Command::of(line);
            let has = |asked: &str| {
                asked == "*" || command.parameters.iter().any(|one| one.names[0] == asked)
            };
            for template in
                [&command.run, &command.registry, &command.variables].into_iter().flatten()
            {
                for asked in template.asks_for() {
                    assert!(has(asked), "{names}: `{asked}`");
                }
            }
            for position in command.positions.iter().chain(&command.input) {
                assert!(position.is_empty() || has(position), "{names}: the position `{position}`");
            }
        }
    }

    #[test]
    fn an_alias_belongs_to_the_name_before_it() {
        assert_eq!(cmdlet("ri").unwrap().0, "Remove-Item");
        assert_eq!(cmdlet("?").unwrap().0, "Where-Object");
        assert_eq!(verb_of("remove-azvm"), Some((Verb::Loss("delete"), "azvm")));
        assert_eq!(verb_of("get-azvm"), Some((Verb::Harmless, "azvm")));
        assert_eq!(verb_of("git"), None);
    }
}
