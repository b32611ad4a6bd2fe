//! A text in which a regular expression matches.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

/// How many bytes the text may have.
const MOST: usize = 10_000;

/// The characters that are taken first, where several fit.
const PLAIN: [char; 6] = ['x', ' ', 'a', 'X', '0', '-'];

/// Returns such a text. What stands around a place (`\b`, `^`) is not looked at, so it may not match after all; `None` if
/// there is none, or only a long one.
pub(super) fn text_of(pattern: &str) -> Option<String> {
    let mut text = String::new();
    add(&regex_syntax::parse(pattern).ok()?, &mut text)?;
    Some(text)
}

fn add(hir: &Hir, text: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => text.push(one_of(class)?),
        HirKind::Class(Class::Bytes(_)) => return None,
        HirKind::Repetition(repeated) => {
            for _ in 0..repeated.min {
                let before = text.len();
                add(&repeated.sub, text)?;
                if text.len() == before {
                    break;
                }
            }
        }
        HirKind::Capture(group) => add(&group.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| add(part, text))?,
        HirKind::Alternation(parts) => add(parts.first()?, text)?,
    }
    (text.len() <= MOST).then_some(())
}

fn one_of(class: &ClassUnicode) -> Option<char> {
    let has = |c: &char| class.iter().any(|range| (range.start()..=range.end()).contains(c));
    PLAIN.into_iter().find(has).or_else(|| class.iter().next().map(|range| range.start()))
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn the_expression_matches_in_its_text() {
        for pattern in [r"push.*--force", r"\brm\s+-(rf|fr)\b", "[0-9]{3,}", "a|b", "", r"^\S+$"] {
            let text = text_of(pattern).unwrap();
            assert!(Regex::new(pattern).unwrap().is_match(&text), "{pattern}: {text:?}");
        }
        assert_eq!(text_of("(x{1000}){1000}"), None);
        assert_eq!(text_of("("), None);
    }
}
