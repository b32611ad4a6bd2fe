//! `any` and `not` keep Kleene's laws: compared with an evaluator that tries every way in which what the
//! engine does not know could be.

use hookgate::contract::{BuiltHandler, Truth};
use hookgate::matcher::{MatchSpec, Test};
use hookgate::table::Called;
use hookgate::{Event, HandlerTable, Hook, Verdict};
use proptest::prelude::*;

use crate::says::says;
use crate::support;

/// The conditions of one table: what the engine says of some, what registered ones say, and tables.
#[derive(Debug, Clone)]
struct Table {
    own: Vec<Truth>,
    registered: Vec<Truth>,
    tool: Option<bool>,
    any: Vec<Vec<Table>>,
    not: Vec<Table>,
}

impl Table {
    fn spec(&self) -> MatchSpec {
        let mut spec = MatchSpec::new();
        for own in &self.own {
            spec = match own {
                Truth::True => spec.input("/command", Test::equals("ls")),
                Truth::False => spec.input("/command", Test::equals("cd")),
                // There is a text where an object is expected.
                Truth::Unknown => spec.input("/command/word", Test::exists()),
            };
        }
        spec = self.registered.iter().fold(spec, |spec, truth| spec.condition(says(*truth)));
        if let Some(matches) = self.tool {
            spec = spec.tool(if matches { "Bash" } else { "Read" });
        }
        for branches in &self.any {
            spec = spec.any(branches.iter().map(Self::spec));
        }
        self.not.iter().fold(spec, |spec, table| spec.except(table.spec()))
    }

    /// How much of this the engine does not know.
    fn unknowns(&self) -> usize {
        let inside = self.any.iter().flatten().chain(&self.not).map(Self::unknowns);
        self.own.iter().filter(|truth| **truth == Truth::Unknown).count() + inside.sum::<usize>()
    }

    /// The truth, with the unknown ones of the engine replaced one after the other.
    fn truth(&self, guess: &mut dyn FnMut() -> Truth) -> Truth {
        let mut parts = vec![Truth::from(self.tool.unwrap_or(true))];
        for own in &self.own {
            parts.push(if *own == Truth::Unknown { guess() } else { *own });
        }
        parts.extend(&self.registered);
        for branches in &self.any {
            let branches: Vec<_> = branches.iter().map(|table| table.truth(guess)).collect();
            parts.push(branches.into_iter().max().unwrap_or(Truth::False));
        }
        for table in &self.not {
            parts.push(match table.truth(guess) {
                Truth::True => Truth::False,
                Truth::False => Truth::True,
                Truth::Unknown => Truth::Unknown,
            });
        }
        parts.into_iter().min().unwrap_or(Truth::True)
    }

    /// A hook is not called if its conditions are false whatever is so; it is called if they hold in
    /// some way in which what the engine does not know could be; else it is unclear.
    fn called(&self) -> Called {
        if self.truth(&mut || Truth::Unknown) == Truth::False {
            return Called::No;
        }
        let unknowns = self.unknowns();
        let holds = (0_u32..1 << unknowns).any(|ways| {
            let mut at = 0;
            let mut guess = || {
                at += 1;
                Truth::from(ways >> (at - 1) & 1 == 1)
            };
            self.truth(&mut guess) == Truth::True
        });
        if holds { Called::Yes } else { Called::Unclear }
    }
}

fn truth() -> impl Strategy<Value = Truth> {
    prop::sample::select(vec![Truth::True, Truth::False, Truth::Unknown])
}

fn table() -> impl Strategy<Value = Table> {
    let leaf = (
        prop::collection::vec(truth(), 0..2),
        prop::collection::vec(truth(), 0..2),
        prop::option::weighted(0.3, any::<bool>()),
    );
    let leaf = leaf.prop_map(|(mut own, registered, tool)| {
        // A table without conditions is refused.
        if own.is_empty() && registered.is_empty() && tool.is_none() {
            own.push(Truth::Unknown);
        }
        Table { own, registered, tool, any: Vec::new(), not: Vec::new() }
    });
    let leaf = leaf.boxed();
    leaf.clone().prop_recursive(3, 12, 3, move |inner| {
        let any = prop::collection::vec(prop::collection::vec(inner.clone(), 1..3), 0..2);
        (leaf.clone(), any, prop::collection::vec(inner, 0..2)).prop_map(|(leaf, any, not)| Table {
            any,
            not,
            ..leaf
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_hook_is_called_as_kleene_says(table in table()) {
        prop_assume!(table.unknowns() <= 10);
        let fixed = BuiltHandler::sync(|_| Ok(Verdict::deny("no"))).static_answer();
        let hook = Hook::new("h", "test", fixed).event(Event::PreToolUse).matching(table.spec());
        let built = HandlerTable::builder().insert(hook).build();
        // A condition on the tool alone can contradict nothing else here.
        let built = built.unwrap_or_else(|errors| panic!("{errors}\n{table:?}"));
        let explained = built.explain(&support::call("ls"), &support::context());
        prop_assert_eq!(explained[0].called, table.called());
        // What each condition says together is what is known of the whole.
        let known = Truth::conjunction(explained[0].conditions.iter().map(|part| part.truth));
        prop_assert_eq!(known, table.truth(&mut || Truth::Unknown));
        prop_assert_eq!(known == Truth::False, table.called() == Called::No);
    }
}
