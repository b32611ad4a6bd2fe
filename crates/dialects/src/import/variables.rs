//! The places of variables in texts of a config: `$NAME` and `${NAME}`.

/// Puts values in the places of `$NAME` and `${NAME}`. Where `value` returns `None`, the place stays.
///
/// ```
/// use hookgate_dialects::import::fill_variables;
///
/// let value = |name: &str| (name == "A").then(|| "1".to_owned());
/// assert_eq!(fill_variables("$A ${A} $B $", value), "1 1 $B $");
/// ```
#[must_use]
pub fn fill_variables(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let (name, behind) = match after.strip_prefix('{').and_then(|after| after.split_once('}')) {
            Some((name, behind)) => (name, behind),
            None => {
                after.split_at(after.find(|sign: char| !is_name_sign(sign)).unwrap_or(after.len()))
            }
        };
        let is_name = !name.is_empty()
            && name.chars().all(is_name_sign)
            && !name.starts_with(|sign: char| sign.is_ascii_digit());
        if let Some(value) = is_name.then(|| value(name)).flatten() {
            filled.push_str(&value);
            rest = behind;
        } else {
            filled.push('$');
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

const fn is_name_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}
