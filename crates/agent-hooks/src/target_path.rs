//! The path in a verdict that changes the target: `$target.url`, `$target[0]["name"]`.

use serde_json::Value;

/// A path that begins at the target of a context.
///
/// ```
/// use hookgate_agent_hooks::TargetPath;
/// use serde_json::json;
///
/// let mut target = json!({"urls": ["a", "b"]});
/// TargetPath::parse("$target.urls[1]")?.set(&mut target, json!("c"))?;
/// assert_eq!(target, json!({"urls": ["a", "c"]}));
/// assert!(TargetPath::parse("$target.none")?.set(&mut target, json!("c")).is_err());
/// assert!(TargetPath::parse("$context.session").is_err());
/// # Ok::<_, hookgate_agent_hooks::TargetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPath(Vec<Segment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Member(String),
    Index(usize),
}

/// Why a target is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The path begins somewhere else, or nothing may be changed at this point.
    #[error("only the target may be changed, and not at the start and the end of a session")]
    Forbidden,
    /// The path is not of the grammar, or names nothing in the target, or the value has no place there.
    #[error("the path names nothing in the target that can be set to this value")]
    Invalid,
}

impl TargetPath {
    /// Reads a path. `$policy_target` is accepted for `$target`.
    ///
    /// # Errors
    /// It begins elsewhere ([`TargetError::Forbidden`]) or is malformed ([`TargetError::Invalid`]).
    pub fn parse(path: &str) -> Result<Self, TargetError> {
        let roots = ["$target", "$policy_target"];
        let mut rest =
            roots.iter().find_map(|root| path.strip_prefix(root)).ok_or(TargetError::Forbidden)?;
        let mut segments = Vec::new();
        while !rest.is_empty() {
            let (segment, after) = next_segment(rest).ok_or(TargetError::Invalid)?;
            segments.push(segment);
            rest = after;
        }
        Ok(Self(segments))
    }

    /// Sets what the path names; it must be there already.
    ///
    /// # Errors
    /// [`TargetError::Invalid`] if it is not. The target is then as it was.
    pub fn set(&self, target: &mut Value, value: Value) -> Result<(), TargetError> {
        let mut place = target;
        for segment in &self.0 {
            let inner = match (segment, place) {
                (Segment::Member(name), Value::Object(map)) => map.get_mut(name),
                (Segment::Index(index), Value::Array(items)) => items.get_mut(*index),
                _ => None,
            };
            place = inner.ok_or(TargetError::Invalid)?;
        }
        *place = value;
        Ok(())
    }
}

/// Takes the first segment off a path, if it begins with one.
fn next_segment(path: &str) -> Option<(Segment, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let (name, rest) = split_name(rest)?;
        return Some((Segment::Member(name.to_owned()), rest));
    }
    let rest = path.strip_prefix('[')?;
    if let Some(rest) = rest.strip_prefix('"') {
        let (name, rest) = split_name(rest)?;
        return Some((Segment::Member(name.to_owned()), rest.strip_prefix("\"]")?));
    }
    let (digits, rest) = rest.split_once(']')?;
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((Segment::Index(number.then(|| digits.parse().ok())??), rest))
}

/// Splits a path behind the name that it begins with.
fn split_name(path: &str) -> Option<(&str, &str)> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let end = path.find(|c| !in_name(c)).unwrap_or(path.len());
    path.split_at_checked(end).filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_grammar_is_kept_to_the_letter() {
        for good in
            ["$target", "$policy_target", "$target.a", "$target[0]", r#"$target["a-b"].c_d[12]"#]
        {
            assert!(TargetPath::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "$target.",
            "$targets",
            "$target[]",
            "$target[-1]",
            "$target[\"\"]",
            "$target[\"a\"",
            "$target[\"a b\"]",
            "$target..a",
            "$target.a.",
            "$target[+1]",
            "$target[99999999999999999999]",
            "$target a",
            "$target.é",
            "$target['a']",
            "$target[*]",
        ] {
            assert_eq!(TargetPath::parse(bad), Err(TargetError::Invalid), "{bad}");
        }
        for foreign in ["", "target", "$", "$.target", "$context", "$snapshot.x", "x$target"] {
            assert_eq!(TargetPath::parse(foreign), Err(TargetError::Forbidden), "{foreign}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_made() {
        let target = json!({"a": [1], "b": null});
        for path in ["$target.c", "$target.a[1]", "$target.a.x", "$target.b.x", "$target[0]"] {
            let mut changed = target.clone();
            assert!(
                TargetPath::parse(path).unwrap().set(&mut changed, json!(0)).is_err(),
                "{path}"
            );
            assert_eq!(changed, target, "{path}");
        }
        let mut whole = target;
        TargetPath::parse("$target").unwrap().set(&mut whole, json!(7)).unwrap();
        assert_eq!(whole, json!(7));
    }
}
