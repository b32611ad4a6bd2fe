//! The generated documents, each with its path in the repository.

use super::markdown::{all_settings, section, settings_table};
use super::{Page, agents, builtins, conditions};
use super::{events::events, hooks_toml::hooks_toml, verdicts::verdicts};

const CONDITIONS: &str = include_str!("conditions.md");
const BUILTINS: &str = include_str!("builtins.md");

/// Conditions whose settings are those of others: the tests of `input`, and the conditions themselves.
const WITHOUT_TABLE: &[&str] = &["payload", "not"];

/// Returns every document. Those below `handlers` are a part of the documentation of a crate.
pub(crate) fn all() -> Vec<(String, String)> {
    let tables = [
        #[cfg(feature = "cedar")]
        ("handlers/cedar/src/settings.md", hookgate::cedar::SETTINGS),
        ("handlers/command/src/settings.md", hookgate::command::SETTINGS),
        ("handlers/http/src/settings.md", hookgate::http::SETTINGS),
        ("handlers/mcp/src/settings.md", hookgate::mcp::SETTINGS),
        ("handlers/prompt/src/settings.md", hookgate::prompt::SETTINGS),
        #[cfg(feature = "rego")]
        ("handlers/rego/src/settings.md", hookgate::rego::SETTINGS),
    ];
    let mut documents = vec![
        ("docs/hooks-toml.md", hooks_toml()),
        ("docs/conditions.md", document(CONDITIONS, &conditions())),
        ("docs/builtins.md", document(BUILTINS, &builtins())),
        ("docs/verdicts.md", verdicts()),
        ("docs/events.md", events()),
    ];
    let tables = tables.map(|(path, settings)| (path, settings_table(&all_settings(settings))));
    documents.extend(tables);
    let named = documents.into_iter().map(|(path, text)| (path.to_owned(), text));
    named.chain(agents::documents()).collect()
}

/// Returns an introduction, a list of the pages, and the pages.
fn document(introduction: &str, pages: &[Page]) -> String {
    let mut text = introduction.to_owned();
    let links: Vec<String> = pages.iter().map(|page| format!("[{0}](#{0})", page.name)).collect();
    text.push_str(&format!("All of them: {}.\n\n", links.join(", ")));
    for page in pages {
        text.push_str(&section(page, !WITHOUT_TABLE.contains(&page.name.as_str())));
    }
    format!("{}\n", text.trim_end())
}
