//! The names in an expression: variables, their fields, and functions.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, SelectExpr, SourceInfo};
use cel::common::types::CelString;
use cel::{Context, Program, Value};
use hookgate_contract::payload::fields;
use hookgate_contract::quote::Quoted;
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Event, HEADER_FIELDS};

use super::constants::{self, Constant};
use super::interpreter::{environment, reason};
use super::problem::Problem;
use super::syntax_tree::parts_of;
use super::values::{EFFECTS, SESSION, Uses, VARIABLES};

/// The functions. The macros are expanded before, if they are called as they should be.
pub(super) const FUNCTIONS: [&str; 14] = [
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "bool",
    "type",
    "dyn",
    "has",
];

/// The macros that loop, and how they are called.
const LOOPS: [(&str, &str); 6] = [
    ("all", "list.all(x, condition)"),
    ("exists", "list.exists(x, condition)"),
    ("exists_one", "list.exists_one(x, condition)"),
    ("existsOne", "list.existsOne(x, condition)"),
    ("map", "list.map(x, value)"),
    ("filter", "list.filter(x, condition)"),
];

/// The types, which are values as well: `type(x) == int`.
const TYPES: [&str; 10] =
    ["int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type", "type"];

/// Checks all names, and returns which variables there are.
///
/// # Errors
/// The first name that does not exist, or something that can never be a boolean.
pub(super) fn check(program: &Program, host: &Host) -> Result<Uses, Problem> {
    let places = program.source_info();
    let mut check = Check { places, host, local: Vec::new(), uses: Uses::default() };
    check.boolean(program.expression())?;
    check.expr(program.expression())?;
    if let Some(Constant { part, why }) =
        constants::find(program.expression(), !host.step.is_empty())
    {
        return Err(check.problem(part, why));
    }
    Ok(check.uses)
}

/// What is known where an expression is read.
#[derive(Debug, Clone, Default)]
pub(super) struct Host {
    /// Whether there is a variable `effects`.
    pub(super) has_effects: bool,
    /// The fields that a step can have; empty if they are not known.
    pub(super) step: Vec<&'static str>,
}

impl Host {
    /// Describes the steps at some events. Those of an embedder can have any field.
    pub(super) fn at(events: &[Event]) -> Self {
        let mut step = Vec::new();
        if !events.is_empty() && !events.contains(&Event::Custom) {
            // A glob can name more events than these, so the fields of all of them are known.
            step.extend(HEADER_FIELDS);
            step.extend(Event::NAMED.iter().flat_map(|event| fields(*event)));
            step.sort_unstable();
            step.dedup();
        }
        Self { has_effects: false, step }
    }
}

struct Check<'a> {
    places: &'a SourceInfo,
    host: &'a Host,
    /// The variables of the loops around.
    local: Vec<&'a str>,
    uses: Uses,
}

impl<'a> Check<'a> {
    /// Returns at which character an expression starts.
    fn at(&self, expr: &IdedExpr) -> usize {
        let (byte, _) = self.places.offset_for(expr.id).unwrap_or_default();
        let before = usize::try_from(byte).ok().and_then(|byte| self.places.source.get(..byte));
        before.map_or(0, |before| before.chars().count())
    }

    fn problem(&self, expr: &IdedExpr, message: impl Into<String>) -> Problem {
        Problem::new(self.at(expr), message)
    }

    /// Refuses an expression whose value is of another type whatever the step is.
    fn boolean(&self, expr: &IdedExpr) -> Result<(), Problem> {
        let found = match &expr.expr {
            Expr::Literal(LiteralValue::Boolean(_)) => return Ok(()),
            Expr::Literal(_) => "a constant",
            Expr::List(_) => "a list",
            Expr::Map(_) => "a map",
            Expr::Ident(name) if VARIABLES.contains(&name.as_str()) => "a map",
            Expr::Call(call) => match call.func_name.as_str() {
                "_+_" | "_-_" | "_*_" | "_/_" | "_%_" | "-_" | "size" | "int" | "uint"
                | "double" => "a number",
                "string" => "a string",
                "bytes" => "bytes",
                "type" => "a type",
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        Err(self.problem(expr, format!("its value is {found}, and must be true or false")))
    }

    fn expr(&mut self, expr: &'a IdedExpr) -> Result<(), Problem> {
        match &expr.expr {
            Expr::Ident(name) => self.variable(expr, name),
            Expr::Select(select) => self.select(expr, select),
            Expr::Call(call) => self.call(expr, call),
            Expr::List(list) => list.elements.iter().try_for_each(|item| self.expr(item)),
            Expr::Map(map) => {
                let parts = map.entries.iter().flat_map(|entry| parts_of(&entry.expr));
                parts.into_iter().try_for_each(|part| self.expr(part))
            }
            Expr::Struct(new) => {
                let message = format!("there is no type `{}`", Quoted(&new.type_name));
                Err(self.problem(expr, message))
            }
            Expr::Comprehension(each) => {
                self.expr(&each.iter_range)?;
                self.expr(&each.accu_init)?;
                let outside = self.local.len();
                self.local.push(&each.iter_var);
                self.local.extend(each.iter_var2.as_deref());
                self.local.push(&each.accu_var);
                self.expr(&each.loop_cond)?;
                self.expr(&each.loop_step)?;
                self.expr(&each.result)?;
                self.local.truncate(outside);
                Ok(())
            }
            Expr::Literal(_) | Expr::Unspecified => Ok(()),
        }
    }

    fn variable(&mut self, expr: &IdedExpr, name: &str) -> Result<(), Problem> {
        if self.local.contains(&name) {
            return Ok(());
        }
        match name.trim_start_matches('.') {
            "step" => self.uses.step = true,
            "session" => self.uses.session = true,
            "effects" if self.host.has_effects => self.uses.effects = true,
            "effects" => return Err(self.problem(expr, "effects are not known to this host")),
            name if TYPES.contains(&name) => {}
            name => {
                let local = self.local.iter().filter(|name| !name.starts_with('@'));
                let known: Vec<&str> = VARIABLES.iter().chain(local).copied().collect();
                let hint = Suggestion::nearest(name, &known);
                let hint = match hint.as_deref() {
                    Some(_) => hint.to_string(),
                    None => "; variables are step, session and effects".to_owned(),
                };
                return Err(
                    self.problem(expr, format!("there is no variable `{}`{hint}", Quoted(name)))
                );
            }
        }
        Ok(())
    }

    fn select(&mut self, expr: &'a IdedExpr, select: &'a SelectExpr) -> Result<(), Problem> {
        if let Expr::Ident(name) = &select.operand.expr
            && !self.local.contains(&name.as_str())
        {
            let fields: &[&str] = match name.as_str() {
                "session" => &SESSION,
                "effects" => &EFFECTS,
                "step" => &self.host.step,
                _ => &[],
            };
            if !fields.is_empty() && !fields.contains(&select.field.as_str()) {
                let hint = Suggestion::nearest(&select.field, fields);
                let all = if name == "step" {
                    String::new()
                } else {
                    format!("; it has {}", fields.join(", "))
                };
                let message = format!("`{name}` has no `{}`{hint}{all}", Quoted(&select.field));
                return Err(self.problem(expr, message));
            }
        }
        self.expr(&select.operand)
    }

    fn call(&mut self, expr: &'a IdedExpr, call: &'a CallExpr) -> Result<(), Problem> {
        let name = call.func_name.as_str();
        let is_operator = name.contains('_') && !name.contains(|c: char| c.is_ascii_alphabetic());
        if !is_operator && !name.starts_with('@') && !FUNCTIONS.contains(&name) {
            let loops = LOOPS.iter().find(|(known, _)| *known == name);
            if let Some((_, usage)) = loops {
                return Err(self.problem(expr, format!("`{name}` is written as `{usage}`")));
            }
            let known = FUNCTIONS.iter().chain(LOOPS.iter().map(|(known, _)| known));
            let hint = Suggestion::nearest(name, &known.copied().collect::<Vec<_>>());
            return Err(
                self.problem(expr, format!("there is no function `{}`{hint}", Quoted(name)))
            );
        }
        if name == "matches"
            && let Some(pattern @ IdedExpr { expr: Expr::Literal(LiteralValue::String(_)), .. }) =
                call.args.last()
        {
            self.pattern(pattern)?;
        }
        call.target.as_deref().into_iter().chain(&call.args).try_for_each(|part| self.expr(part))
    }

    /// Tries a pattern on an empty text: the interpreter compiles it only when it is used.
    fn pattern(&self, pattern: &IdedExpr) -> Result<(), Problem> {
        let empty = LiteralValue::String(CelString::from(String::new()));
        let target = IdedExpr { id: 0, expr: Expr::Literal(empty) };
        let call = CallExpr {
            func_name: "matches".to_owned(),
            target: Some(Box::new(target)),
            args: vec![pattern.clone()],
        };
        let tried = IdedExpr { id: 0, expr: Expr::Call(call) };
        let context = Context::with_env(environment().clone());
        match Value::resolve(&tried, &context) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.problem(pattern, reason(&error))),
        }
    }
}
