//! `any` and `not`: whole conditions inside of conditions.
//!
//! `any` holds if one of its tables does, `not` if its table does not. A table takes every condition
//! that a hook takes, patterns for the name of the tool as well: these are evaluated here, and not with
//! those of all hooks of the event.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{BuiltCondition, Command, Envelope};

use super::super::applies::{Evaluated, Favour};
use super::super::error::MatchError;
use super::super::spec::MatchSpec;
use super::super::tool_patterns::ToolPatterns;
use super::super::tool_set::ToolSet;
use super::super::truth::Truth;
use super::Conditions;

/// How deep tables may stand inside of each other.
pub(crate) const DEEPEST: usize = 8;

/// The tables of `any` and `not`.
#[derive(Debug)]
pub(crate) struct Nested {
    /// Of each of these lists one table must hold.
    any: Vec<Vec<Table>>,
    /// None of these tables may hold.
    not: Vec<Table>,
}

/// The compiled conditions of one table.
#[derive(Debug)]
pub(crate) struct Table {
    tools: Option<ToolSet>,
    conditions: Conditions,
}

impl Nested {
    /// Compiles the tables. What is wrong in one is reported at the key that it stands under.
    pub(super) fn compile(
        spec: &MatchSpec,
        depth: usize,
        errors: &mut Vec<(&'static str, MatchError)>,
    ) -> Self {
        let mut tables = |key: &'static str, specs: &[MatchSpec]| -> Vec<Table> {
            if depth >= DEEPEST {
                errors.push((key, MatchError::TooDeep(DEEPEST)));
                return Vec::new();
            }
            let mut found = Vec::new();
            let tables = specs.iter().map(|spec| Table::compile(spec, depth + 1, &mut found));
            let tables = tables.collect();
            errors.extend(found.into_iter().map(|(_, error)| (key, error)));
            tables
        };
        let any: Vec<_> = spec.any.iter().map(|branches| tables("any", branches)).collect();
        let not = tables("not", &spec.not);
        if spec.any.iter().any(Vec::is_empty) {
            errors.push(("any", MatchError::NoConditions));
        }
        Self { any, not }
    }

    /// Evaluates the tables on a step, and on a command of it if one is given. What speaks for calling the hook
    /// is the other way round below a `not`.
    pub(super) fn evaluate_at(
        &self,
        step: &Envelope<'_>,
        favour: Favour,
        command: Option<&Command>,
    ) -> Evaluated {
        let mut all = Evaluated::registered(Truth::True);
        for branches in &self.any {
            let mut one = Evaluated::registered(Truth::False);
            for table in branches {
                one = one.or(table.evaluate(step, favour, command));
                if one.known == Truth::True {
                    break;
                }
            }
            all = all.and(one);
            if all.known == Truth::False {
                return all;
            }
        }
        for table in &self.not {
            all = all.and(table.evaluate(step, favour.flipped(), command).not());
            if all.known == Truth::False {
                break;
            }
        }
        all
    }

    /// Names what of the step made the tables of `any` hold. Nothing makes a `not` hold.
    pub(super) fn subjects(&self, step: &Envelope<'_>, command: Option<&Command>) -> Vec<String> {
        use hookgate_contract::Condition as _;
        let holding = self
            .any
            .iter()
            .flatten()
            .filter(|table| table.evaluate(step, Favour::True, command).known != Truth::False);
        holding.filter_map(|table| table.conditions.subject(step)).collect()
    }

    /// Returns the commands that say which files the tables of `any` mean.
    pub(super) fn meant_files(&self, step: &Envelope<'_>) -> Vec<Command> {
        let tables = self.any.iter().flatten();
        let holding = tables
            .filter(|table| table.evaluate(step, Favour::True, None).known != Truth::False)
            .filter_map(|table| table.conditions.further.as_ref());
        holding.flat_map(|further| further.meant_files(step)).collect()
    }

    /// Returns the explanation of a registered condition that cannot be told.
    pub(super) fn unclear_part(
        &self,
        step: &Envelope<'_>,
        command: Option<&Command>,
    ) -> Option<String> {
        let mut tables = self.any.iter().flatten().chain(&self.not);
        tables.find_map(|table| {
            let unknown = table.evaluate(step, Favour::True, command).known == Truth::Unknown;
            if unknown { table.conditions.unclear_part(step) } else { None }
        })
    }

    /// Returns the lists of `any`, in the order in which they are written.
    pub(crate) fn any(&self) -> &[Vec<Table>] {
        &self.any
    }

    /// Returns the tables of `not`.
    pub(crate) fn not(&self) -> &[Table] {
        &self.not
    }
}

impl Table {
    fn compile(
        spec: &MatchSpec,
        depth: usize,
        errors: &mut Vec<(&'static str, MatchError)>,
    ) -> Self {
        if spec.is_empty() {
            errors.push(("any", MatchError::NoConditions));
        }
        let refused = spec.registered.iter().filter(|built| !built.nests());
        errors.extend(refused.map(|built| (built.key(), MatchError::NotNested(built.key()))));
        let tools = alone(spec, errors);
        Self { tools, conditions: Conditions::compile_at(spec, depth, errors) }
    }

    fn evaluate(
        &self,
        step: &Envelope<'_>,
        favour: Favour,
        command: Option<&Command>,
    ) -> Evaluated {
        match tool_holds(self.tools.as_ref(), step.payload()) {
            Truth::False => Evaluated::registered(Truth::False),
            _ => self.conditions.evaluate_at(step, favour, command),
        }
    }

    /// Returns the conditions except those on the name of the tool.
    pub(crate) const fn conditions(&self) -> &Conditions {
        &self.conditions
    }
}

/// Compiles the patterns for tools of one table; `None` without any.
fn alone(spec: &MatchSpec, errors: &mut Vec<(&'static str, MatchError)>) -> Option<ToolSet> {
    if spec.tool.is_empty() && spec.tool_glob.is_empty() && spec.tool_regex.is_empty() {
        return None;
    }
    let patterns = ToolPatterns::compile(spec, errors);
    match ToolSet::join(std::iter::once(&patterns)) {
        Ok(set) => Some(set),
        Err(error) => {
            errors.push(("tool_regex", error));
            None
        }
    }
}

/// Returns whether patterns for tools match; a step without a tool meets none.
fn tool_holds(tools: Option<&ToolSet>, payload: &dyn AnyPayload) -> Truth {
    match (tools, payload.tool()) {
        (None, _) => Truth::True,
        (Some(_), None) => Truth::False,
        (Some(set), Some(call)) => (!set.matching(Some(&call.tool_name)).is_empty()).into(),
    }
}

impl MatchSpec {
    /// Returns whether the tool of a step meets the patterns for its name.
    pub(crate) fn tool_holds(&self, payload: &dyn AnyPayload) -> Truth {
        tool_holds(alone(self, &mut Vec::new()).as_ref(), payload)
    }

    /// Returns whether a name of a tool meets the patterns for it.
    pub(crate) fn admits_tool(&self, name: &str) -> bool {
        alone(self, &mut Vec::new()).is_none_or(|set| !set.matching(Some(name)).is_empty())
    }

    /// Returns whether there are no conditions.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self { regex_search: self.regex_search, ..Self::default() }
    }

    /// Returns whether there are neither registered conditions nor tables of `any` and `not`.
    pub(crate) const fn is_plain(&self) -> bool {
        self.registered.is_empty() && self.any.is_empty() && self.not.is_empty()
    }

    /// Returns the tables of `any` and `not`.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Self> {
        self.any.iter().flatten().chain(&self.not)
    }

    /// Returns all registered conditions, those inside of `any` and `not` too, each with whether it is
    /// inside.
    pub(crate) fn all_registered(&self) -> Vec<(&BuiltCondition, bool)> {
        let mut all: Vec<_> = self.registered.iter().map(|built| (built, false)).collect();
        for table in self.tables() {
            all.extend(table.all_registered().into_iter().map(|(built, _)| (built, true)));
        }
        all
    }

    /// Returns whether to evaluate the conditions is work that grows with the step: the agent can make
    /// the values of fields as long as it likes.
    pub(crate) fn is_heavy(&self) -> bool {
        !(self.input.is_empty() && self.payload.is_empty())
            || self.registered.iter().any(|built| built.condition().is_heavy())
            || self.tables().any(Self::is_heavy)
    }
}
