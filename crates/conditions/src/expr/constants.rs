//! Expressions that are the same whatever the step is: a constant that others hide, one value that must be
//! two texts at once, an object that is compared with a text.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use hookgate_contract::HEADER_FIELDS;

/// Why an expression is always the same, and the part of it that makes it so.
pub(super) struct Constant<'e> {
    pub(super) part: &'e IdedExpr,
    pub(super) why: String,
}

/// Looks for a reason why a condition is always the same. `typed` says whether the steps are those of events
/// whose fields are known.
pub(super) fn find(expr: &IdedExpr, typed: bool) -> Option<Constant<'_>> {
    if let Some(value) = value_of(expr) {
        return Some(Constant { part: expr, why: format!("it is always {value}") });
    }
    both_at_once(expr).or_else(|| wrong_types(expr).filter(|_| typed))
}

/// Returns the value of an expression that does not depend on the step.
fn value_of(expr: &IdedExpr) -> Option<bool> {
    let Expr::Call(call) = &expr.expr else { return literal(expr)?.parse().ok() };
    let of = |at: usize| call.args.get(at).and_then(value_of);
    match call.func_name.as_str() {
        "_&&_" => match (of(0), of(1)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        "_||_" => match (of(0), of(1)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        "!_" => of(0).map(|value| !value),
        "_?_:_" => of(if of(0)? { 1 } else { 2 }),
        name @ ("_==_" | "_!=_") => {
            let [left, right] = call.args.as_slice() else { return None };
            let same = match (literal(left), literal(right)) {
                (Some(left), Some(right)) => left == right,
                _ => (path(left)? == path(right)?).then_some(true)?,
            };
            Some(same == (name == "_==_"))
        }
        _ => None,
    }
}

/// Returns a literal as it is compared with others.
fn literal(expr: &IdedExpr) -> Option<String> {
    let Expr::Literal(value) = &expr.expr else { return None };
    Some(match value {
        LiteralValue::Boolean(flag) => flag.inner().to_string(),
        LiteralValue::String(text) => format!("{:?}", text.inner()),
        LiteralValue::Int(number) => number.inner().to_string(),
        LiteralValue::UInt(number) => number.inner().to_string(),
        _ => return None,
    })
}

/// Returns the fields that lead to a value: `step.tool_input.command`.
fn path(expr: &IdedExpr) -> Option<String> {
    match &expr.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) if !select.test => {
            Some(format!("{}.{}", path(&select.operand)?, select.field))
        }
        _ => None,
    }
}

/// A comparison of a value of the step with a literal.
struct Comparison<'e> {
    expr: &'e IdedExpr,
    path: String,
    literal: String,
    equal: bool,
}

impl<'e> Comparison<'e> {
    fn of(expr: &'e IdedExpr) -> Option<Self> {
        let Expr::Call(CallExpr { func_name, args, .. }) = &expr.expr else { return None };
        let equal = match func_name.as_str() {
            "_==_" => true,
            "_!=_" => false,
            _ => return None,
        };
        let [left, right] = args.as_slice() else { return None };
        let (path, literal) =
            path(left).zip(literal(right)).or_else(|| path(right).zip(literal(left)))?;
        Some(Self { expr, path, literal, equal })
    }
}

/// Looks for a value that must be equal to two things, or to one and not to it.
fn both_at_once(expr: &IdedExpr) -> Option<Constant<'_>> {
    let mut known: Vec<Comparison<'_>> = Vec::new();
    for part in conjuncts(expr) {
        let Some(comparison) = Comparison::of(part) else { continue };
        let Comparison { expr: part, path, literal, equal } = &comparison;
        for other in known.iter().filter(|other| other.path == *path) {
            let why = match (other.equal, *equal, other.literal == *literal) {
                (true, true, false) => {
                    format!("`{path}` is never {} and {literal} at once", other.literal)
                }
                (true, false, true) | (false, true, true) => {
                    format!("`{path}` is never {literal} and something else at once")
                }
                _ => continue,
            };
            return Some(Constant { part, why });
        }
        known.push(comparison);
    }
    None
}

/// Returns the parts that must all hold.
fn conjuncts(expr: &IdedExpr) -> Vec<&IdedExpr> {
    match &expr.expr {
        Expr::Call(call) if call.func_name == "_&&_" => {
            call.args.iter().flat_map(conjuncts).collect()
        }
        _ => vec![expr],
    }
}

/// The types of values that every step has in the same way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Flag,
    Object,
    List,
}

/// Returns of which type a value is, if it is the same in every step that has it.
fn kind_of(path: &str) -> Option<Kind> {
    let Some(field) = path.strip_prefix("step.") else {
        return match path {
            "session.turn" => Some(Kind::Number),
            "session.id" | "session.cwd" | "session.agent" | "session.agent_id" => Some(Kind::Text),
            "effects.tool_name" => Some(Kind::Text),
            "step" | "session" | "effects" => Some(Kind::Object),
            other => other
                .strip_prefix("effects.")
                .filter(|field| !field.contains('.'))
                .map(|_| Kind::List),
        };
    };
    match field {
        "turn" | "generation" | "protocol" => Some(Kind::Number),
        "rejudge" | "is_error" => Some(Kind::Flag),
        "host" | "decision" | "tool_input" => Some(Kind::Object),
        "decision.outcome" | "decision.reason" | "tool_name" => Some(Kind::Text),
        "decision.by" | "decision.patched" => Some(Kind::List),
        field if HEADER_FIELDS.contains(&field) => Some(Kind::Text),
        _ => None,
    }
}

/// Looks for a value that is compared with one of another type.
fn wrong_types(expr: &IdedExpr) -> Option<Constant<'_>> {
    if let Some(comparison) = Comparison::of(expr) {
        let Comparison { path, literal, .. } = &comparison;
        let kind = kind_of(path)?;
        let other = match literal.as_str() {
            "true" | "false" => Kind::Flag,
            text if text.starts_with('"') => Kind::Text,
            _ => Kind::Number,
        };
        let (is, write) = match kind {
            _ if kind == other => return None,
            Kind::Object if path == "step.decision" => {
                ("an object", format!("; write `step.decision.outcome == {literal}`"))
            }
            Kind::Object => ("an object", "; name the field that is meant".to_owned()),
            Kind::List => ("a list", format!("; write `{path}.exists(x, …)`")),
            Kind::Text => ("a text", format!("; write \"{literal}\" in quotes")),
            Kind::Number => ("a number", "; write it without quotes".to_owned()),
            Kind::Flag => ("true or false", format!("; write `{path}` or `!{path}`")),
        };
        let why = format!("`{path}` is {is} and never equal to {literal}{write}");
        return Some(Constant { part: expr, why });
    }
    let Expr::Call(call) = &expr.expr else { return None };
    let joins = matches!(call.func_name.as_str(), "_&&_" | "_||_" | "!_" | "_?_:_");
    call.args.iter().filter(|_| joins).find_map(wrong_types)
}
