//! `{a,b}` in paths and words: each alternative becomes a text of its own.

/// What stands before, within and after the braces of a text.
pub type Braces<'t> = (&'t str, Vec<&'t str>, &'t str);

/// Returns what stands before, within and after the first closed braces, which are outside of escapes and
/// classes; `None` if there are none.
///
/// ```
/// use hookgate_contract::glob::first_braces;
///
/// assert_eq!(first_braces("a{b,{c,d}}e"), Some(("a", vec!["b", "{c,d}"], "e")));
/// assert_eq!(first_braces(r"a\{b}"), None);
/// ```
#[must_use]
pub fn first_braces(text: &str) -> Option<Braces<'_>> {
    scan(text).ok()?
}

/// Returns the place of a brace that is never closed.
#[must_use]
pub fn open_brace(text: &str) -> Option<usize> {
    scan(text).err()
}

/// Looks for the first braces; an error is the place of one that is never closed.
fn scan(text: &str) -> Result<Option<Braces<'_>>, usize> {
    let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let (mut start, mut part, mut depth) = (0, 0, 0_usize);
    let mut inside = Vec::new();
    let mut class_end = 0;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if at < class_end {
            continue;
        }
        match character {
            '\\' => _ = characters.next(),
            '[' => class_end = end_of_class(text, at).unwrap_or_default(),
            '{' => {
                if depth == 0 {
                    (start, part) = (at, at + 1);
                }
                depth += 1;
            }
            ',' if depth == 1 => {
                inside.push(piece(part..at));
                part = at + 1;
            }
            '}' if depth == 1 => {
                inside.push(piece(part..at));
                return Ok(Some((piece(0..start), inside, piece(at + 1..text.len()))));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if depth > 0 { Err(start) } else { Ok(None) }
}

/// Returns the place after the bracket that closes a class; `None` if none does.
fn end_of_class(text: &str, open: usize) -> Option<usize> {
    let mut from = open + 1;
    if text.get(from..)?.starts_with(['!', '^']) {
        from += 1;
    }
    // A bracket that comes first is a member.
    let first = text.get(from..)?.chars().next()?.len_utf8();
    Some(from + first + text.get(from + first..)?.find(']')? + 1)
}

/// Puts every alternative in a text of its own, in their order; `None` if they are more than `most`. Braces
/// for which `counts` says no stay as they are, and so does all that follows them.
///
/// ```
/// use hookgate_contract::glob::expand_braces;
///
/// assert_eq!(expand_braces("a{b,c}", 8, |_| true).unwrap(), ["ab", "ac"]);
/// assert_eq!(expand_braces("{}", 8, |choices| choices.len() > 1).unwrap(), ["{}"]);
/// assert_eq!(expand_braces("{a,b}{a,b}{a,b}", 4, |_| true), None);
/// ```
pub fn expand_braces(
    text: &str,
    most: usize,
    counts: impl Fn(&[&str]) -> bool,
) -> Option<Vec<String>> {
    let mut done = Vec::new();
    // Each with the length of the start that stays.
    let mut open = vec![(text.to_owned(), 0)];
    while let Some((text, stays)) = open.pop() {
        if open.len() + done.len() >= most {
            return None;
        }
        let (fixed, rest) = text.split_at_checked(stays)?;
        match first_braces(rest) {
            None => done.push(text),
            Some((before, choices, after)) if counts(&choices) => {
                let one = |choice: &&str| (format!("{fixed}{before}{choice}{after}"), stays);
                open.extend(choices.iter().rev().map(one));
            }
            Some((before, _, _)) => {
                let stays = stays + before.len() + 1;
                open.push((text, stays));
            }
        }
    }
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_escapes_hide_braces() {
        for text in [r"a\{b,c}", "a[{]b,c}", "[]{]", "[!]{]x", "{a,b"] {
            assert_eq!(first_braces(text), None, "{text}");
        }
        assert_eq!(expand_braces("x[{]y", 8, |_| true).unwrap(), ["x[{]y"]);
        assert_eq!((open_brace("ab{c"), open_brace("a{b}")), (Some(2), None));
        assert_eq!(expand_braces("[{a,b}", 8, |_| true).unwrap(), ["[a", "[b"]);
    }

    #[test]
    fn braces_nest_and_may_stay() {
        assert_eq!(expand_braces("a{b,c{d,e}}f", 8, |_| true).unwrap(), ["abf", "acdf", "acef"]);
        let several = |choices: &[&str]| choices.len() > 1;
        assert_eq!(expand_braces("{a}{b,c}", 8, several).unwrap(), ["{a}b", "{a}c"]);
        assert_eq!(expand_braces("{a{b,c}}", 8, several).unwrap(), ["{ab}", "{ac}"]);
    }
}
