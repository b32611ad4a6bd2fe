//! Which entries are asked for.

use hookgate::Outcome;
use rusqlite::types::Value;

use crate::json_text::as_json;

/// Which records of a journal are asked for: those for which all of it holds.
///
/// ```
/// use hookgate::Outcome;
/// use hookgate_store::Filter;
///
/// let denied = Filter::default().tool("Bash").decisions([Outcome::Deny]).newest(20);
/// # let _ = denied;
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    conditions: Vec<(&'static str, Value)>,
    decisions: Vec<Outcome>,
    is_about_steps: bool,
    with_sessions: bool,
    newest: Option<u64>,
    since: Option<u64>,
}

impl Filter {
    /// Only those of this session.
    #[must_use]
    pub fn session(self, session: &str) -> Self {
        self.with("record.session = ?", session.to_owned().into())
    }

    /// Only those in which this hook has decided, failed or rewritten the step.
    #[must_use]
    pub fn hook(self, hook: &str) -> Self {
        self.with("record.seq IN (SELECT seq FROM spoke WHERE hook = ?)", hook.to_owned().into())
    }

    /// Only those of this event.
    #[must_use]
    pub fn event(self, event: &str) -> Self {
        self.with("record.event = ?", event.to_owned().into())
    }

    /// Only those about this tool.
    #[must_use]
    pub fn tool(self, tool: &str) -> Self {
        self.with("record.tool = ?", tool.to_owned().into())
    }

    /// Only those that were decided by the config whose hash begins like this.
    #[must_use]
    pub fn config(self, hash: &str) -> Self {
        let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
        // A range, for which there is an index: no digit comes after `g`.
        let filter = self.with("record.config >= ?", format!("sha256:{hash}").into());
        filter.of_all("record.config < ?", format!("sha256:{hash}g").into())
    }

    /// Only those with one of these outcomes.
    #[must_use]
    pub fn decisions(mut self, decisions: impl IntoIterator<Item = Outcome>) -> Self {
        self.decisions.extend(decisions);
        self.is_about_steps = true;
        self
    }

    /// Only those from this time on, in milliseconds since 1970.
    #[must_use]
    pub fn since(mut self, time: u64) -> Self {
        self.since = Some(time);
        self.of_all("record.time >= ?", number(time))
    }

    /// Only those before this time, in milliseconds since 1970.
    #[must_use]
    pub fn until(self, time: u64) -> Self {
        self.of_all("record.time < ?", number(time))
    }

    /// Only those that have this text in the step, a reason or another part: in what it says there, not in the name of
    /// a field. Case does not matter for ASCII letters. Every body is read for it. A text with quotes, backslashes or
    /// line breaks is found as it is.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        // What is not in the body at all need not be taken apart.
        let anywhere = self.with(r"body.text LIKE ? ESCAPE '\'", pattern(&as_json(text)).into());
        // A body that is no JSON any more is told by who reads it.
        let in_value = r"(NOT json_valid(body.text) OR EXISTS
                          (SELECT 1 FROM json_tree(body.text) AS part WHERE part.atom LIKE ? ESCAPE '\'))";
        anywhere.of_all(in_value, pattern(text).into())
    }

    /// Only those after this entry.
    #[must_use]
    pub fn after(self, seq: u64) -> Self {
        self.of_all("record.seq > ?", number(seq))
    }

    /// Only the newest ones, so many at most; they still come in the order in which they were recorded.
    #[must_use]
    pub const fn newest(mut self, count: u64) -> Self {
        self.newest = Some(count);
        self
    }

    /// Also the other records of the sessions of those that are asked for: what a hook counts depends on them.
    #[must_use]
    pub const fn whole_sessions(mut self) -> Self {
        self.with_sessions = true;
        self
    }

    fn with(self, condition: &'static str, value: Value) -> Self {
        self.of_steps().of_all(condition, value)
    }

    /// Leaves out what is about no step.
    pub(crate) const fn of_steps(mut self) -> Self {
        self.is_about_steps = true;
        self
    }

    /// Adds what can hold of every kind of entry.
    fn of_all(mut self, condition: &'static str, value: Value) -> Self {
        self.conditions.push((condition, value));
        self
    }

    /// Whether no condition has an index that leaves fewer entries than the times do.
    fn is_about_times_alone(&self) -> bool {
        let is_place = |condition: &str| {
            condition.starts_with("record.time ") || condition.starts_with("record.seq >")
        };
        let may_be_allowed = self.decisions.is_empty() || self.decisions.contains(&Outcome::Allow);
        may_be_allowed && self.conditions.iter().all(|(condition, _)| is_place(condition))
    }

    /// Returns the query of these columns, and its parameters.
    pub(crate) fn query(&self, columns: &str) -> (String, Vec<Value>) {
        let mut conditions: Vec<String> =
            self.conditions.iter().map(|(condition, _)| (*condition).to_owned()).collect();
        let mut values: Vec<Value> =
            self.conditions.iter().map(|(_, value)| value.clone()).collect();
        if !self.decisions.is_empty() {
            let places = vec!["?"; self.decisions.len()].join(", ");
            // The index knows those that were not simply allowed.
            let indexed = match self.decisions.contains(&Outcome::Allow) {
                true => "",
                false => " AND record.decision <> 'allow'",
            };
            conditions.push(format!("record.decision IN ({places}){indexed}"));
            values.extend(self.decisions.iter().map(|outcome| outcome.name().to_owned().into()));
        }
        if self.is_about_steps {
            conditions.push("record.kind = 'step'".to_owned());
        }
        // Entries are looked through in their order, so it is said where they begin: times need not be in that order. `+`
        // keeps SQLite from looking for it among all entries.
        if let Some(since) = self.since.filter(|_| self.is_about_times_alone()) {
            conditions.push(format!(
                "record.seq >= (SELECT min(+seq) FROM record WHERE time >= {since})"
            ));
        }
        let conditions = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let entries = "FROM record LEFT JOIN body USING (seq)";
        let newest = self.newest.map(|count| {
            values.push(number(count));
            " ORDER BY record.seq DESC LIMIT ?"
        });
        let conditions = format!("{conditions}{}", newest.unwrap_or_default());
        let conditions = match (self.with_sessions, newest) {
            (true, _) => format!(
                " WHERE record.kind = 'step' AND record.session IN (SELECT session FROM (SELECT record.session \
                 {entries}{conditions}))"
            ),
            (false, Some(_)) => {
                format!(" WHERE record.seq IN (SELECT record.seq {entries}{conditions})")
            }
            (false, None) => conditions,
        };
        (format!("SELECT {columns} {entries}{conditions} ORDER BY record.seq"), values)
    }
}

/// Returns the pattern of a text that is anywhere in another.
fn pattern(text: &str) -> String {
    format!("%{}%", text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_"))
}

fn number(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params_from_iter};

    use super::*;

    /// Returns how SQLite goes about a query in a journal of any size: it has no statistics.
    fn plan(filter: &Filter) -> String {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(include_str!("schema.sql")).unwrap();
        let (query, values) = filter.query("record.seq");
        let mut plan = database.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
        let steps = plan.query_map(params_from_iter(values), |row| row.get::<_, String>(3));
        steps.unwrap().collect::<Result<Vec<_>, _>>().unwrap().join("; ")
    }

    #[test]
    fn no_filter_but_that_of_a_text_looks_at_every_entry() {
        let all = Filter::default;
        for filter in [
            all().tool("Bash"),
            all().event("stop").tool("Bash"),
            all().config("a"),
            all().session("s"),
            all().hook("h"),
            all().decisions([Outcome::Deny]),
            all().since(7),
            all().since(7).until(9).after(3),
            all().since(7).decisions([Outcome::Allow]),
        ] {
            for filter in [filter.clone(), filter.clone().newest(50), filter.since(7)] {
                let plan = plan(&filter);
                assert!(!plan.contains("SCAN record"), "{filter:?}: {plan}");
            }
        }
        assert!(plan(&all().text("x")).contains("SCAN record"), "the control");
    }
}
