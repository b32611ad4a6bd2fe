//! Explanations in a policy why a part stays that no case needs: `# mutate: keep, because …`.

use std::ops::Range;

use hookgate::contract::settings::{Node, NodeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// How an explanation begins.
const MARK: &str = "mutate:";

/// What follows.
const KEEP: &str = "keep, because ";

/// A comment that explains something, or was meant to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keep {
    /// What it is about, in bytes: its own line, and if it stands alone the next one with the whole value of its key.
    pub(super) lines: Range<usize>,
    /// Where it is.
    pub(super) at: usize,
    /// Why the part stays; `None` if it does not say.
    pub(super) because: Option<String>,
}

/// Returns the explanations in a text in TOML with these values.
pub(super) fn find(text: &str, root: &Node) -> Vec<Keep> {
    let mut keeps = comments(text);
    for keep in &mut keeps {
        if text.get(keep.lines.clone()).is_some_and(|line| line.trim_start().starts_with('#')) {
            extend(&mut keep.lines, root);
        }
    }
    keeps
}

/// Extends lines to the ends of the values whose keys are on them.
fn extend(lines: &mut Range<usize>, node: &Node) {
    match &node.value {
        NodeValue::Table(entries) => {
            for entry in entries {
                // The key of a `[table]` does not stand for the whole.
                let is_before = entry.node.span.start >= entry.key_span.end;
                if lines.contains(&entry.key_span.start) && is_before {
                    lines.end = lines.end.max(entry.node.span.end);
                }
                extend(lines, &entry.node);
            }
        }
        NodeValue::List(items) => items.iter().for_each(|item| extend(lines, item)),
        _ => {}
    }
}

fn comments(text: &str) -> Vec<Keep> {
    let tokens = Source::new(text).lex();
    let comments = tokens.filter(|token| token.kind() == TokenKind::Comment);
    comments.filter_map(|token| read(text, token.span().start()..token.span().end())).collect()
}

fn read(text: &str, comment: Range<usize>) -> Option<Keep> {
    let said = text.get(comment.clone())?.trim_start_matches('#').trim();
    let said = said.strip_prefix(MARK)?.trim();
    let because = said.strip_prefix(KEEP).map(str::trim).filter(|why| !why.is_empty());
    let before = text.get(..comment.start)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let is_alone = text.get(start..comment.start)?.trim().is_empty();
    let mut end = end_of_line(text, comment.end);
    if is_alone {
        // The next line that is no comment.
        while let Some(next) = text.get(end..).filter(|rest| !rest.is_empty()) {
            let is_comment = next.trim_start_matches([' ', '\t']).starts_with('#');
            end = end_of_line(text, end);
            if !is_comment {
                break;
            }
        }
    }
    Some(Keep { lines: start..end, at: comment.start, because: because.map(str::to_owned) })
}

/// Returns where the line of an offset ends, behind its line break.
fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |newline| at + newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_is_about_its_line_or_the_next_one() {
        let text = "a = 1 # mutate: keep, because of x\nb = '# mutate: keep, because no comment'\n\
                    # mutate: keep, because y\n# more\nc = 2\nd = 3\n# mutate: keep\n\
                    # mutate: keep, because z\ne = [\n  1,\n]\nf = 4\n";
        let (root, _) = hookgate::config::parse_toml(text);
        let found = find(text, &root);
        let about: Vec<&str> =
            found.iter().map(|keep| text.get(keep.lines.clone()).unwrap()).collect();
        assert_eq!(about[0], "a = 1 # mutate: keep, because of x\n");
        assert_eq!(about[1], "# mutate: keep, because y\n# more\nc = 2\n");
        let why: Vec<Option<&str>> = found.iter().map(|keep| keep.because.as_deref()).collect();
        assert_eq!(why, [Some("of x"), Some("y"), None, Some("z")]);
        assert_eq!(about[3], "# mutate: keep, because z\ne = [\n  1,\n]");
    }
}
