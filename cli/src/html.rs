//! Pages in HTML: the live page (`hookgate ui`) and reports in one file (`--html`).
//!
//! Steps and reasons come from models, so a page must not trust them. A [`View`] is data without markup; one template
//! makes it HTML, escapes every text, and replaces what cannot be seen or changes the order of what is seen. Only the
//! plots are markup, and those are drawn here.

mod decisions;
mod difference;
mod plot;
mod report;
mod view;

use std::borrow::Cow;

use hookgate::contract::visible;
use minijinja::value::Serde;
use minijinja::{Environment, Error, Output, State, Value, escape_formatter};
use serde::Serialize;

use crate::abort::Abort;

pub(crate) use decisions::{HEAD as DECISIONS, cells as decision_cells, said};
pub(crate) use difference::rewritten;
pub(crate) use plot::{Span, bars, over_time, spans};
pub(crate) use report::write as write_report;
pub(crate) use view::{Cell, Lines, Plot, Table, View};

/// The style sheet of all pages.
pub(crate) const STYLE: &str = include_str!("html/style.css");

/// The template of a [`View`]: the ending of its name is what turns escaping on.
pub(crate) const VIEW: (&str, &str) = ("view.html", include_str!("html/view.html"));

/// Returns an environment with these templates. The name of each must end in `.html`.
///
/// # Errors
/// A template is damaged.
pub(crate) fn environment(
    templates: &[(&'static str, &'static str)],
) -> Result<Environment<'static>, Abort> {
    let mut environment = Environment::new();
    environment.set_formatter(shown);
    for (name, text) in templates {
        environment.add_template(name, text).map_err(|error| damaged(&error))?;
    }
    Ok(environment)
}

/// Makes a page.
///
/// # Errors
/// The template is damaged.
pub(crate) fn render(
    environment: &Environment<'_>,
    name: &str,
    page: impl Serialize,
) -> Result<String, Abort> {
    let template = environment.get_template(name).map_err(|error| damaged(&error))?;
    template.render(Serde(page)).map_err(|error| damaged(&error))
}

fn damaged(error: &Error) -> Abort {
    Abort::failure(format!("the page cannot be made: {error:#}"))
}

/// Writes a value: escaped, and without what is hidden.
fn shown(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let text = value.as_str().filter(|_| !value.is_safe()).map(visible::in_place);
    match text {
        Some(Cow::Owned(text)) => escape_formatter(out, state, &Value::from(text)),
        _ => escape_formatter(out, state, value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_escaped_and_shows_what_is_hidden() {
        let environment = environment(&[("page.html", "<p title=\"{{ text }}\">{{ text }}</p>")]);
        let text = "\"><script>alert(1)</script>\u{202e}'{{ 1 }}";
        let page = render(&environment.unwrap(), "page.html", json!({ "text": text })).unwrap();
        assert_eq!(page.matches('<').count(), 2, "{page}");
        assert!(!page.contains('\u{202e}') && page.contains('\u{fffd}'), "{page}");
        assert!(page.contains("{{ 1 }}") && page.contains("&quot;&gt;&lt;script&gt;"), "{page}");
    }
}
