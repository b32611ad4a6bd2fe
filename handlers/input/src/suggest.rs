//! The question "did you mean …?" in messages about names.

/// The longest name that is compared: the time grows with the square of the length.
const LONGEST: usize = 64;

/// Returns the candidate that a mistyped name was most likely meant to be, or `None` if none is near:
/// at most a third of the letters may be wrong. Case counts only between equally near candidates.
///
/// ```
/// use hookgate_input::suggest::nearest;
/// assert_eq!(nearest("pre_tol_use", &["pre_tool_use", "stop"]), Some("pre_tool_use"));
/// assert_eq!(nearest("banana", &["pre_tool_use", "stop"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let is_long = |text: &str| text.chars().nth(LONGEST).is_some();
    if is_long(name) {
        return None;
    }
    let length = name.chars().count();
    let distance = |candidate: &str| {
        let letters = strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase());
        (letters, strsim::osa_distance(name, candidate))
    };
    candidates
        .iter()
        .filter(|candidate| !is_long(candidate))
        .map(|candidate| (distance(candidate), *candidate))
        // Of equally near ones the first.
        .min_by_key(|(distance, _)| *distance)
        // With more than a third of the letters wrong it is another name.
        .filter(|((letters, _), _)| *letters <= length.max(3) / 3 && *letters < length)
        .map(|(_, candidate)| candidate)
}
