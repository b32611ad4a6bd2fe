//! Pages of reference about named things: a table of all of them, one page on the terminal, or the
//! documents in docs/.

mod agents;
mod builtins;
mod conditions;
pub(crate) mod documents;
mod events;
mod hooks_toml;
pub(crate) mod markdown;
pub(crate) mod value_schema;
mod verdicts;

use comfy_table::Table;
use hookgate::Event;
use hookgate::contract::SettingDoc;
use serde::Serialize;

use crate::abort::Abort;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::{BOLD, DIM};
use crate::terminal::table::{self, To, cell, dim};

pub(crate) use builtins::builtins;
pub(crate) use conditions::conditions;

/// A page about something that a config names.
#[derive(Debug, Serialize)]
pub(crate) struct Page {
    /// Its name in a config.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) about: String,
    /// Further facts: what they are about, and what there is to say.
    #[serde(flatten)]
    pub(crate) facts: serde_json::Map<String, serde_json::Value>,
    /// Its settings.
    pub(crate) settings: Vec<Setting>,
    /// The events at which it can be used.
    pub(crate) events: Vec<&'static str>,
    /// How it stands in a config.
    pub(crate) example: String,
}

/// A setting on a page.
#[derive(Debug, Serialize)]
pub(crate) struct Setting {
    /// The key.
    pub(crate) name: String,
    /// The type of its value, in words.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What is taken without it, as it is written in a config.
    pub(crate) default: Option<String>,
    /// What it means.
    pub(crate) meaning: String,
}

impl From<&SettingDoc> for Setting {
    fn from(doc: &SettingDoc) -> Self {
        Self {
            name: doc.name.to_owned(),
            kind: doc.kind.words(),
            required: doc.required,
            default: doc.default.map(str::to_owned),
            meaning: doc.meaning.to_owned(),
        }
    }
}

impl Page {
    /// Removes the signs of Markdown.
    fn into_plain(mut self) -> Self {
        self.about = self.about.replace('`', "");
        for setting in &mut self.settings {
            setting.kind = setting.kind.replace('`', "");
            setting.meaning = setting.meaning.replace('`', "");
        }
        self
    }

    /// Returns whether it can be used at every event.
    fn is_everywhere(&self) -> bool {
        self.events.len() == Event::NAMED.len()
    }
}

/// Prints the page of this name, or all of them. `what` is what the name names: `builtin`.
pub(crate) fn print(
    what: &str,
    pages: Vec<Page>,
    name: Option<&str>,
    output: OutputArgs,
) -> Result<(), Abort> {
    let pages: Vec<Page> = pages.into_iter().map(Page::into_plain).collect();
    let chosen = match name {
        Some(name) => vec![find(what, &pages, name)?],
        None => pages.iter().collect(),
    };
    if output.wants_json() {
        for page in chosen {
            stdout::json_line(page)?;
        }
        return Ok(());
    }
    let text = match (name, chosen.as_slice()) {
        (Some(_), [page]) => page_text(page),
        _ => format!("{}\n", list(what, &chosen)),
    };
    Ok(stdout::print(&text)?)
}

fn find<'p>(what: &str, pages: &'p [Page], name: &str) -> Result<&'p Page, Abort> {
    pages.iter().find(|page| page.name == name).ok_or_else(|| {
        let known: Vec<&str> = pages.iter().map(|page| page.name.as_str()).collect();
        Abort::unknown_name(what, name, &known)
    })
}

fn list(what: &str, pages: &[&Page]) -> Table {
    let mut rows = table::new(To::Stdout, &[what, "what it is for"]);
    for page in pages {
        rows.add_row([cell(&page.name), cell(&page.about)]);
    }
    table::keep_whole(&mut rows, &[0]);
    rows
}

fn page_text(page: &Page) -> String {
    let mut facts = vec![("about", page.about.clone())];
    facts.extend(page.facts.iter().map(|(name, value)| {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.as_str(), shown)
    }));
    let events = if page.is_everywhere() { "all".to_owned() } else { page.events.join(", ") };
    facts.push(("events", events));
    let facts = table::facts(To::Stdout, &facts);
    let mut text = format!("{BOLD}{}{BOLD:#}\n\n{facts}\n", page.name);
    if !page.settings.is_empty() {
        text.push_str(&format!("\n{}\n", settings_table(&page.settings)));
    }
    text.push_str(&format!("\n{DIM}example{DIM:#}\n"));
    for line in page.example.trim_end().lines() {
        text.push_str(format!("  {line}").trim_end());
        text.push('\n');
    }
    text
}

fn settings_table(settings: &[Setting]) -> Table {
    let mut rows = table::new(To::Stdout, &["setting", "type", "default", "meaning"]);
    for setting in settings {
        let default = match &setting.default {
            _ if setting.required => "required",
            Some(default) => default,
            None => "",
        };
        rows.add_row([
            cell(&setting.name),
            cell(&setting.kind),
            dim(default),
            cell(&setting.meaning),
        ]);
    }
    table::keep_whole(&mut rows, &[0, 2]);
    rows
}
