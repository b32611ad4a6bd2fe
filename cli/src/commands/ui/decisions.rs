//! Decisions as they come, and those that somebody looks for.

use hookgate_store::{Entry, Filter};
use serde_json::{Map, Value};

use super::site::Site;
use crate::abort::Abort;
use crate::commands::log::entries;
use crate::html::{Cell, DECISIONS, Table, View};
use crate::journal::{FilterArgs, failure};

/// How many are shown at first, and how many at most.
const SHOWN: (u64, u64) = (100, 2000);

/// What a decision may be, as the form offers it, with a name for people.
const OUTCOMES: [(&str, &str); 7] = [
    ("", "any"),
    ("answered,ask,cancelled,deny,halt", "not simply allowed"),
    ("deny,halt", "refused"),
    ("ask", "asked"),
    ("answered", "answered"),
    ("cancelled", "cancelled"),
    ("allow", "allowed"),
];

/// Returns the form and the decisions.
pub(super) fn page(site: &Site, query: &[(String, String)]) -> Result<String, Abort> {
    let count = query.iter().find(|(name, _)| name == "newest");
    let count = count.and_then(|(_, count)| count.parse().ok()).unwrap_or(SHOWN.0).min(SHOWN.1);
    let filter = filter(query)?;
    let entries = site.open()?.entries(&filter.newest(count)).map_err(|error| failure(&error))?;
    let is_more = u64::try_from(entries.len()).is_ok_and(|found| found == count) && count < SHOWN.1;
    let table = Table {
        note: entries.is_empty().then(|| "the journal has no such entry".to_owned()),
        head: DECISIONS.to_vec(),
        rows: entries.iter().rev().map(row).collect(),
        ..Table::default()
    };
    let view = View { tables: vec![table], ..View::default() };
    let form = form(("decisions", "Decisions"), query, is_more.then(|| (count * 4).min(SHOWN.1)));
    Ok(site.filter(form)? + &site.view(view)?)
}

/// Returns the filter of a query.
pub(super) fn filter(query: &[(String, String)]) -> Result<Filter, Abort> {
    let given = query.iter().filter(|(name, _)| name != "newest");
    FilterArgs::of_pairs(given.map(|(name, value)| (name.as_str(), value.as_str())))?.read()
}

/// Returns what the form of the filters shows: the name of its view and its title, and what is asked for.
pub(super) fn form(
    (view, title): (&str, &str),
    query: &[(String, String)],
    more: Option<u64>,
) -> Map<String, Value> {
    let of_name = |(name, value): &(String, String)| (name.clone(), value.clone().into());
    let given: Map<String, Value> = query.iter().map(of_name).collect();
    let rest = query.iter().filter(|(name, _)| name != "newest");
    let rest = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(rest).finish();
    let more = more.map(|more| format!("/{view}?{rest}&newest={more}"));
    let outcomes: Vec<Value> =
        OUTCOMES.iter().map(|(value, name)| Value::from(vec![*value, *name])).collect();
    Map::from_iter([
        ("view".to_owned(), view.into()),
        ("title".to_owned(), title.into()),
        ("given".to_owned(), given.into()),
        ("outcomes".to_owned(), outcomes.into()),
        ("more".to_owned(), more.into()),
    ])
}

/// Returns the row of an entry, which leads to it.
pub(super) fn row(entry: &Entry) -> Vec<Cell> {
    let place = Cell::from(entry.seq.to_string()).to(format!("/decision/{}", entry.seq));
    entries::cells(place, entry)
}
