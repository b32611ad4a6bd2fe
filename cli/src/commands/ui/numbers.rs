//! What hooks did: how often, how long, how they failed, what those in shadow would have done, and what models took.

use std::collections::BTreeMap;

use hookgate::contract::{Event, VerdictDecision};
use hookgate::decision::{Vote, VoteOutcome};
use hookgate_store::{Entry, Statistics};
use serde_json::Value;

use super::decisions::{filter, form, row};
use super::site::Site;
use crate::abort::Abort;
use crate::commands::log;
use crate::html::{Cell, DECISIONS, Table, View};
use crate::journal::failure;
use crate::terminal::time::time;

/// How far back it looks unless somebody says otherwise.
const SINCE: (&str, &str) = ("since", "7d");

/// In how many of the newest steps shadow hooks, failures and models are looked for.
const NEWEST: u64 = 5000;

/// How many steps are listed that a hook in shadow would have decided otherwise.
const DELTAS: usize = 50;

/// What is found in the steps themselves.
#[derive(Default)]
struct Found {
    first: Option<u64>,
    last: Option<u64>,
    /// For each hook in shadow and what it would have done: in how many steps.
    would: BTreeMap<(String, String), u64>,
    deltas: Vec<Vec<Cell>>,
    /// For each hook and class of failure: how often.
    failures: BTreeMap<(String, String), u64>,
    /// What each model took.
    models: BTreeMap<String, Spent>,
}

/// What a model took.
#[derive(Default)]
struct Spent {
    answers: u64,
    /// How many of each kind.
    tokens: BTreeMap<String, u64>,
    /// `None` if no price is known.
    cost: Option<f64>,
}

/// Returns the form and the numbers.
pub(super) fn page(site: &Site, query: &[(String, String)]) -> Result<String, Abort> {
    let mut query = query.to_vec();
    if !query.iter().any(|(name, _)| name == SINCE.0) {
        query.push((SINCE.0.to_owned(), SINCE.1.to_owned()));
    }
    let (reader, filter) = (site.open()?, filter(&query)?);
    let statistics = reader.statistics(&filter).map_err(|error| failure(&error))?;
    let mut found = Found::default();
    let add = |entry: Entry| {
        found.add(&entry);
        true
    };
    reader.for_each(&filter.newest(NEWEST), add).map_err(|error| failure(&error))?;
    let view = view(&statistics, found);
    Ok(site.filter(form(("numbers", "Numbers"), &query, None))? + &site.view(view)?)
}

impl Found {
    fn add(&mut self, entry: &Entry) {
        let Some(record) = entry.record() else { return };
        self.first = Some(self.first.map_or(record.time, |first| first.min(record.time)));
        self.last = self.last.max(Some(record.time));
        let report = &record.report;
        for vote in &report.votes {
            if let Some(class) = vote.failure {
                let of = (vote.hook.to_string(), class.name().to_owned());
                *self.failures.entry(of).or_default() += 1;
            }
        }
        let would: Vec<&Vote> =
            report.votes.iter().filter(|vote| vote.outcome == VoteOutcome::Would).collect();
        for vote in &would {
            let what = vote.decision.map_or("rewrite or add", VerdictDecision::name);
            let of =
                (vote.hook.to_string(), format!("{what} instead of {}", report.decision.name()));
            *self.would.entry(of).or_default() += 1;
        }
        if !would.is_empty() {
            self.deltas.push(row(entry));
        }
        let is_answer = report.event.as_deref() == Some(Event::PostLlmResponse.name());
        if let Some(step) = report.envelope.as_ref().filter(|_| is_answer) {
            self.add_spent(step);
        }
    }

    /// Adds what an answer of a model took, as far as the runtime has said it.
    fn add_spent(&mut self, answer: &Value) {
        let usage = answer.get("usage").and_then(Value::as_object);
        let cost = answer.get("cost").and_then(Value::as_f64);
        if usage.is_none() && cost.is_none() {
            return;
        }
        let model = answer.get("model").and_then(Value::as_str).unwrap_or("without a name");
        let spent = self.models.entry(model.to_owned()).or_default();
        spent.answers += 1;
        for (kind, number) in usage.into_iter().flatten() {
            if let Some(number) = number.as_u64() {
                *spent.tokens.entry(kind.clone()).or_default() += number;
            }
        }
        if let Some(cost) = cost {
            spent.cost = Some(spent.cost.unwrap_or_default() + cost);
        }
    }
}

fn view(statistics: &Statistics, found: Found) -> View {
    let [first, last] = [found.first, found.last].map(|at| at.map(time).unwrap_or_default());
    View {
        lead: Some(log::page::sentence(statistics)),
        plots: log::page::plots(statistics, &first, &last),
        tables: tables(statistics, found),
        ..View::default()
    }
}

fn tables(statistics: &Statistics, found: Found) -> Vec<Table> {
    let pair = |((hook, what), number): ((String, String), u64)| {
        vec![hook.into(), what.into(), Cell::number(number)]
    };
    let model = |(model, spent): (String, Spent)| {
        let tokens = spent.tokens.into_iter().map(|(kind, number)| format!("{number} {kind}"));
        let cost = spent.cost.map(|cost| format!("{cost:.4}")).unwrap_or_default();
        let tokens = tokens.collect::<Vec<_>>().join(", ");
        let cost = Cell { class: "number", ..cost.into() };
        vec![model.into(), Cell::number(spent.answers), tokens.into(), cost]
    };
    let newest = format!("of the newest {NEWEST} of these steps");
    let mut deltas = found.deltas;
    deltas.reverse();
    deltas.truncate(DELTAS);
    let spending = match found.models.is_empty() {
        true => "no recorded answer of a model says what it took".to_owned(),
        false => format!(
            "as the runtime has told it with each answer, {newest}; what judges spend is not in the journal"
        ),
    };
    let mut tables = vec![
        log::page::hooks(statistics),
        Table {
            title: "Failures".to_owned(),
            note: Some(if found.failures.is_empty() { "none".to_owned() } else { newest.clone() }),
            head: vec!["hook", "class", "times"],
            rows: found.failures.into_iter().map(pair).collect(),
        },
        Table {
            title: "In shadow".to_owned(),
            note: Some(match found.would.is_empty() {
                true => "no hook in shadow or on trial would have decided otherwise".to_owned(),
                false => format!("what hooks in shadow or on trial would have decided, {newest}"),
            }),
            head: vec!["hook", "would", "steps"],
            rows: found.would.into_iter().map(pair).collect(),
        },
    ];
    if !deltas.is_empty() {
        let title = "Steps that would have come out otherwise".to_owned();
        tables.push(Table { title, head: DECISIONS.to_vec(), rows: deltas, ..Table::default() });
    }
    tables.push(Table {
        title: "Spending".to_owned(),
        note: Some(spending),
        head: vec!["model", "answers", "tokens", "cost"],
        rows: found.models.into_iter().map(model).collect(),
    });
    tables
}
