//! What callgrind writes down: how many instructions each function took by itself.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::PeersError;

/// Instructions by function; those of the functions that it calls are not among them.
pub type Functions = BTreeMap<String, f64>;

/// One dump.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dump {
    /// All instructions, as callgrind sums them up.
    pub(super) sum: f64,
    /// The same by function.
    pub(super) functions: Functions,
}

impl Dump {
    /// Reads one of the dumps that callgrind numbers.
    pub(super) fn read(out: &Path, number: usize) -> Result<Self, PeersError> {
        let path = PathBuf::from(format!("{}.{number}", out.display()));
        let text = fs::read_to_string(&path).map_err(|source| PeersError::File { path, source })?;
        Self::parse(&text)
            .ok_or_else(|| PeersError::Uncounted(format!("dump {number} is not what was expected")))
    }

    /// Reads the text of a dump. A function is `fn=(number) name` where it comes first and `fn=(number)` from then
    /// on; the lines below it are a place and what was counted there. The line after `calls=` counts what the
    /// called function took.
    fn parse(text: &str) -> Option<Self> {
        let (mut sum, mut names) = (None, HashMap::new());
        let mut own: HashMap<&str, f64> = HashMap::new();
        let (mut function, mut called) = ("", false);
        for line in text.lines() {
            if let Some(count) = line.strip_prefix("summary: ") {
                sum = count.trim().parse().ok();
            } else if let Some(named) = line.strip_prefix("fn=") {
                function = number(named, &mut names)?;
            } else if let Some(named) = line.strip_prefix("cfn=") {
                number(named, &mut names)?;
            } else if line.starts_with("calls=") {
                called = true;
            } else if line.starts_with(|first: char| "0123456789+-*".contains(first))
                && !std::mem::take(&mut called)
                && let Some(count) = line.split(' ').nth(1)
            {
                *own.entry(function).or_default() += count.parse::<f64>().ok()?;
            }
        }
        let mut functions = Functions::new();
        for (number, count) in own {
            *functions.entry((*names.get(number)?).to_owned()).or_default() += count;
        }
        Some(Self { sum: sum?, functions })
    }
}

/// Returns the number of a function, and notes its name where that is told.
fn number<'t>(named: &'t str, names: &mut HashMap<&'t str, &'t str>) -> Option<&'t str> {
    let (number, name) = match named.split_once(' ') {
        Some((number, name)) => (number, Some(name)),
        None => (named, None),
    };
    if let Some(name) = name {
        names.insert(number, name);
    }
    number.starts_with('(').then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
# callgrind format
events: Ir
summary: 60

ob=(1) /lib/libc.so
fl=(1) ???
fn=(1) malloc
0 10
+2 5
cfn=(2) _int_malloc
calls=1 0
0 30

fn=(2)
0 30

fn=(1)
* 15

totals: 60
";

    #[test]
    fn a_function_counts_what_it_takes_by_itself() {
        let dump = Dump::parse(DUMP).unwrap();
        let expected = [("_int_malloc".to_owned(), 30.0), ("malloc".to_owned(), 30.0)];
        assert_eq!(dump, Dump { sum: 60.0, functions: expected.into() });
    }

    #[test]
    fn a_text_without_a_sum_is_no_dump() {
        assert_eq!(Dump::parse(&DUMP.replace("summary", "sum")), None);
    }
}
