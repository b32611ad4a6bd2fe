//! The interpreter of CEL: which functions it has, and why it failed.

use std::sync::{Arc, OnceLock};

use cel::{Env, ExecutionError};
use hookgate_contract::quote::Quoted;

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
            format!("`{}` does not take ({types})", shown(overload.function()))
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

/// Returns an operator or function as it is written.
fn shown(name: &str) -> String {
    match name {
        "@in" => "in".to_owned(),
        "_[_]" => "[…]".to_owned(),
        "_._" => ".".to_owned(),
        _ => name.replace('_', ""),
    }
}
