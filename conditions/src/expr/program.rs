//! An expression that was parsed and checked, and how it is run.

use std::sync::{Arc, OnceLock};
use std::thread;

use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::{Context, Env, ExecutionError, ParseErrors, Program, Value};
use hookgate_contract::quote::Quoted;

use super::names::{self, Host};
use super::values::{StepValues, Uses};

/// The longest expression, in bytes.
pub(super) const LONGEST: usize = 4096;

/// How deep an expression may be nested: each level takes up to 64 KiB of stack when it is evaluated by a
/// build without optimisation, and threads have 2 MiB.
const DEEPEST: usize = 24;

/// How many loops may be inside of one another.
const LOOPS: u32 = 3;

/// The stack of the thread that parses. The parser bounds brackets, but not chains such as `1+1+1`, which
/// become as deep as they are long.
const STACK: usize = 32 << 20;

/// What is wrong with an expression, and at which character.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// A checked expression.
#[derive(Debug)]
pub(super) struct Expression {
    source: String,
    program: Program,
    uses: Uses,
    loops: u32,
}

impl Expression {
    /// Parses an expression and checks its names.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn compile(source: &str, host: Host) -> Result<Self, Problem> {
        if source.trim().is_empty() {
            return Err(Problem::new(0, "it is empty"));
        }
        if source.len() > LONGEST {
            return Err(Problem::new(0, format!("it has more than {LONGEST} bytes")));
        }
        let source = source.to_owned();
        let parse = move || Self::checked(source, &host);
        let parser = thread::Builder::new().name("hookgate-expr".to_owned()).stack_size(STACK);
        let thread = parser.spawn(parse);
        let thread =
            thread.map_err(|error| Problem::new(0, format!("no thread to parse it: {error}")))?;
        // A thread that panicked has no result: the parser is not ours.
        thread.join().unwrap_or_else(|_| Err(Problem::new(0, "the parser of CEL panicked on it")))
    }

    fn checked(source: String, host: &Host) -> Result<Self, Problem> {
        let program =
            environment().compile(&source).map_err(|errors| parse_problem(&source, &errors))?;
        let (depth, loops) = measure(program.expression());
        if depth > DEEPEST {
            let message = format!("it is nested {depth} levels deep, {DEEPEST} are allowed");
            return Err(Problem::new(0, message));
        }
        if loops > LOOPS {
            let message =
                format!("it has {loops} loops inside of one another, {LOOPS} are allowed");
            return Err(Problem::new(0, message));
        }
        let uses = names::check(&program, host)?;
        Ok(Self { source, program, uses, loops })
    }

    /// Returns the text.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Returns which variables it has.
    pub(super) const fn uses(&self) -> Uses {
        self.uses
    }

    /// Returns how many loops are inside of one another.
    pub(super) const fn loops(&self) -> u32 {
        self.loops
    }

    /// Evaluates it.
    pub(super) fn run(&self, values: &StepValues) -> Result<Value, ExecutionError> {
        let mut context = Context::with_env(Arc::clone(environment()));
        context.set_variable_resolver(values);
        self.program.execute(&context)
    }
}

/// Returns the standard functions of CEL. Optional values are left out: `has` does the same.
pub(super) fn environment() -> &'static Arc<Env> {
    static ENVIRONMENT: OnceLock<Arc<Env>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| Arc::new(Env::stdlib().with_optional_support(false)))
}

/// Says why an evaluation failed, without the values that are in some errors.
pub(super) fn reason(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("there is no `{}`", Quoted(key)),
        ExecutionError::NoSuchOverload(overload) => {
            let types = overload.argument_types().join(", ");
            format!("`{}` does not take ({types})", names::shown(overload.function()))
        }
        ExecutionError::IndexOutOfBounds(_) => "an index is beyond the end of a list".to_owned(),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "a number is divided by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is too large".to_owned(),
        ExecutionError::ValuesNotComparable(..) => "values of two types are compared".to_owned(),
        ExecutionError::FunctionError { function, message } => {
            format!("`{function}` failed: {}", Quoted(message))
        }
        _ => "a function or operator does not take its values".to_owned(),
    }
}

/// Says what the parser found first; what follows is mostly of the same cause.
fn parse_problem(source: &str, errors: &ParseErrors) -> Problem {
    let Some(error) = errors.errors.first() else { return Problem::new(0, "it cannot be parsed") };
    if errors.errors.iter().any(|error| error.msg.contains("Recursion limit")) {
        return Problem::new(0, "it is nested too deeply");
    }
    let (line, column) = error.pos;
    let line = usize::try_from(line - 1).unwrap_or_default();
    let column = usize::try_from(column - 1).unwrap_or_default();
    let before = source.split_inclusive('\n').take(line).map(|line| line.chars().count());
    let at = before.sum::<usize>() + column;
    let rest: String = source.chars().skip(at).collect();
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
    let meant = match (word.as_str(), rest.chars().next()) {
        ("and", _) => "; CEL writes `&&`",
        ("or", _) => "; CEL writes `||`",
        (_, Some('=')) => "; CEL writes `==`",
        (_, Some('&')) => "; CEL writes `&&`",
        (_, Some('|')) => "; CEL writes `||`",
        _ => "",
    };
    let message = error.msg.trim_start_matches("Syntax error: ");
    let message = message.split(" expecting ").next().unwrap_or(message);
    let message = message.replace("'<EOF>'", "the end").replace("mismatched", "unexpected");
    Problem::new(at, format!("it is not CEL: {}{meant}", Quoted(&message)))
}

/// Returns how deep an expression is, and how many loops are inside of one another.
fn measure(expr: &IdedExpr) -> (usize, u32) {
    let mut deepest = (0, 0);
    let mut add = |part: &IdedExpr| {
        let (depth, loops) = measure(part);
        deepest = (deepest.0.max(depth), deepest.1.max(loops));
    };
    match &expr.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).for_each(add),
        Expr::Select(select) => add(&select.operand),
        Expr::List(list) => list.elements.iter().for_each(add),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| parts_of(&entry.expr)).for_each(add),
        Expr::Struct(parts) => {
            parts.entries.iter().flat_map(|entry| parts_of(&entry.expr)).for_each(add);
        }
        Expr::Comprehension(each) => {
            [&each.accu_init, &each.loop_cond, &each.loop_step, &each.result]
                .into_iter()
                .for_each(&mut add);
            deepest.1 += 1;
            let (depth, loops) = measure(&each.iter_range);
            deepest = (deepest.0.max(depth), deepest.1.max(loops));
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
    }
    (deepest.0 + 1, deepest.1)
}

/// Returns the expressions in an entry of a map.
pub(super) fn parts_of(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}
