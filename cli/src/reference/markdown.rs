//! Pages as Markdown.

use hookgate::contract::SettingDoc;

use super::{Page, Setting};

/// Returns a table of settings.
pub(crate) fn settings_table(settings: &[Setting]) -> String {
    let mut text = "| key | type | default | meaning |\n|---|---|---|---|\n".to_owned();
    for setting in settings {
        let default = match &setting.default {
            _ if setting.required => "required".to_owned(),
            Some(default) => format!("`{default}`"),
            None => String::new(),
        };
        let name = format!("`{}`", setting.name);
        text.push_str(&row(&[&name, &setting.kind, &default, &sentence(&setting.meaning)]));
    }
    text
}

/// Returns a row of a table.
pub(crate) fn row(cells: &[&str]) -> String {
    let mut text = String::new();
    for cell in cells {
        text.push_str("| ");
        if !cell.is_empty() {
            text.push_str(&cell.replace('|', "\\|"));
            text.push(' ');
        }
    }
    text + "|\n"
}

/// Returns the rows of a table of settings, those of the tables inside of it too: `limits.cpu`.
pub(crate) fn all_settings(docs: &[SettingDoc]) -> Vec<Setting> {
    let mut all = Vec::new();
    for doc in docs {
        all.push(Setting::from(doc));
        if let Some((between, inner)) = doc.kind.inner() {
            all.extend(all_settings(inner).into_iter().map(|setting| Setting {
                name: format!("{}{between}{}", doc.name, setting.name),
                ..setting
            }));
        }
    }
    all
}

/// Returns a section about one named thing.
pub(crate) fn section(page: &Page, with_settings: bool) -> String {
    let mut text = format!("## {}\n\n{}\n\n", page.name, sentence(&page.about));
    for (name, value) in &page.facts {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("* {name}: {value}\n"));
    }
    let events: Vec<String> = page.events.iter().map(|event| format!("`{event}`")).collect();
    let events = if page.is_everywhere() { "all".to_owned() } else { events.join(", ") };
    text.push_str(&format!("* events: {events}\n\n"));
    if with_settings && !page.settings.is_empty() {
        text.push_str(&settings_table(&page.settings));
        text.push('\n');
    }
    text.push_str(&format!("```toml\n{}\n```\n\n", page.example.trim()));
    text
}

/// Makes a sentence of a clause.
pub(crate) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if clause.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

/// Returns words as a list of code.
pub(crate) fn code_list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
