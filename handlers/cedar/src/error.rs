//! What goes wrong with policies: when they are loaded, and when they are evaluated.

use cedar_policy::{AuthorizationError, EvaluationError, RequestValidationError};
use hookgate_contract::{Failure, FailureClass, quote};
use miette::Diagnostic;

/// Returns an error of Cedar with its place in a file: `policy.cedar:3:5: unexpected token`.
pub(crate) fn located(file: &str, text: &str, error: &dyn Diagnostic) -> String {
    let offset = error.labels().and_then(|mut labels| labels.next()).map(|label| label.offset());
    let message = quote::message(&error.to_string());
    match offset.and_then(|offset| place(text, offset)) {
        Some((line, column)) => format!("{file}:{line}:{column}: {message}"),
        None => format!("{file}: {message}"),
    }
}

/// Returns the line and the column of a byte, both from 1.
fn place(text: &str, offset: usize) -> Option<(usize, usize)> {
    let before = text.get(..offset)?;
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    Some((line, before.get(line_start..)?.chars().count() + 1))
}

/// Returns the failure of policies that could not be evaluated. Cedar leaves such a policy out, and a
/// `forbid` that is left out forbids nothing.
pub(crate) fn evaluation_failure(error: &AuthorizationError) -> Failure {
    let AuthorizationError::PolicyEvaluationError(error) = error;
    // The message of the library may quote values of the step.
    let problem = match error.inner() {
        EvaluationError::EntityDoesNotExist(_) => "an entity that is not in `entities`",
        EvaluationError::EntityAttrDoesNotExist(_) | EvaluationError::RecordAttrDoesNotExist(_) => {
            "an attribute that is not there: test it with `has`"
        }
        EvaluationError::TypeError(_) => "a value of another type",
        EvaluationError::IntegerOverflow(_) => "a number that is too large",
        EvaluationError::FailedExtensionFunctionExecution(_) => "a value that a function refuses",
        _ => "an error",
    };
    Failure::new(
        FailureClass::Malformed,
        format!("the policy `{}` cannot be evaluated: {problem}", error.policy_id()),
    )
}

/// Returns the failure of a request that the schema does not know.
pub(crate) fn request_failure(error: &RequestValidationError) -> Failure {
    let problem = match error {
        RequestValidationError::UndeclaredAction(_) => "it has no such action",
        RequestValidationError::UndeclaredPrincipalType(_)
        | RequestValidationError::InvalidPrincipalType(_) => {
            "the action does not apply to this type of principal"
        }
        RequestValidationError::UndeclaredResourceType(_)
        | RequestValidationError::InvalidResourceType(_) => {
            "the action does not apply to this type of resource"
        }
        RequestValidationError::InvalidContext(_) | RequestValidationError::TypeOfContext(_) => {
            "the context has other fields: choose them with the setting `context`"
        }
        RequestValidationError::InvalidEnumEntity(_) => "an entity is none of the listed ones",
        _ => "the request does not fit",
    };
    let detail = format!("the step cannot be asked about under this schema: {problem}");
    Failure::new(FailureClass::Malformed, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_in_characters() {
        assert_eq!(place("ab\ncüd", 6), Some((2, 3)));
        assert_eq!(place("ab", 0), Some((1, 1)));
        assert_eq!(place("ü", 1), None);
    }
}
