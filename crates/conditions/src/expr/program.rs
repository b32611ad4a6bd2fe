//! An expression that was parsed and checked, and how it is run.

use std::sync::Arc;
use std::thread;

use cel::{Context, ExecutionError, ParseErrors, Program, Value};
use hookgate_contract::quote::Quoted;

use super::interpreter::environment;
use super::names::{self, Host};
use super::problem::Problem;
use super::syntax_tree::measure;
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
