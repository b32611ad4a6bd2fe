//! The alternatives in a text, as the language of its key writes them.

use std::ops::Range;

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, Visitor};

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// `git push --force|-f`: alternatives of one word.
    Words,
    /// `**/*.{pem,key}`: alternatives in braces.
    Braces,
    /// A regular expression.
    Regex,
    /// A text without alternatives.
    Plain,
}

impl Language {
    /// Returns the language of the texts below a key.
    pub(super) fn of_key(key: &str, above: Self) -> Self {
        match key {
            "runs" | "tool" | "agent" | "safety" => Self::Words,
            "reads" | "writes" | "deletes" | "touches" | "connects" | "git_branch"
            | "tool_glob" | "cwd_glob" | "glob" => Self::Braces,
            "regex" | "tool_regex" => Self::Regex,
            "contains" | "equals" | "one_of" | "starts_with" | "ends_with" | "expr" => Self::Plain,
            _ => above,
        }
    }
}

/// Returns the text without each of its alternatives in turn: what is left, where the alternative was, in bytes
/// of the text, and the alternative itself.
pub(super) fn without_each(text: &str, language: Language) -> Vec<(String, Range<usize>)> {
    let cuts = match language {
        Language::Words => of_words(text),
        Language::Braces => in_braces(text),
        Language::Regex => of_regex(text),
        Language::Plain => Vec::new(),
    };
    let cut = cuts.into_iter().filter_map(|Cut { item, with_bar }| {
        let left = format!("{}{}", text.get(..with_bar.start)?, text.get(with_bar.end..)?);
        Some((left, item))
    });
    cut.collect()
}

/// An alternative, and what goes with it: the bar before or behind.
struct Cut {
    item: Range<usize>,
    with_bar: Range<usize>,
}

/// Returns the cuts of alternatives that stand one behind the other with one sign between them.
fn cuts(items: &[Range<usize>]) -> Vec<Cut> {
    if items.len() < 2 {
        return Vec::new();
    }
    let all = items.iter().enumerate().map(|(index, item)| {
        let before = index.checked_sub(1).and_then(|before| items.get(before));
        let with_bar = match (before, items.get(index + 1)) {
            (Some(before), _) => before.end..item.end,
            (None, Some(behind)) => item.start..behind.start,
            (None, None) => item.clone(),
        };
        Cut { item: item.clone(), with_bar }
    });
    all.collect()
}

/// Cuts a range of a text at a sign.
fn split(text: &str, within: Range<usize>, sign: char) -> Vec<Range<usize>> {
    let Some(part) = text.get(within.clone()) else { return Vec::new() };
    let mut start = within.start;
    let mut items = Vec::new();
    for item in part.split(sign) {
        items.push(start..start + item.len());
        start += item.len() + sign.len_utf8();
    }
    items
}

fn of_words(text: &str) -> Vec<Cut> {
    let mut all = Vec::new();
    let mut start = 0;
    for word in text.split(' ') {
        let skip = usize::from(word.starts_with('!'));
        all.extend(cuts(&split(text, start + skip..start + word.len(), '|')));
        start += word.len() + 1;
    }
    all
}

fn in_braces(text: &str) -> Vec<Cut> {
    let mut all = Vec::new();
    let mut open = None;
    for (at, sign) in text.char_indices() {
        match (sign, open) {
            ('{', _) => open = Some(at + 1),
            ('}', Some(start)) => {
                all.extend(cuts(&split(text, start..at, ',')));
                open = None;
            }
            _ => {}
        }
    }
    all
}

fn of_regex(text: &str) -> Vec<Cut> {
    let Ok(tree) = Parser::new().parse(text) else { return Vec::new() };
    ast::visit(&tree, Alternations::default()).unwrap_or_default()
}

/// Collects the alternatives of a regular expression.
#[derive(Default)]
struct Alternations(Vec<Cut>);

impl Visitor for Alternations {
    type Output = Vec<Cut>;
    type Err = ();

    fn finish(self) -> Result<Vec<Cut>, ()> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), ()> {
        if let Ast::Alternation(alternation) = tree {
            let span = |tree: &Ast| tree.span().start.offset..tree.span().end.offset;
            let items: Vec<Range<usize>> = alternation.asts.iter().map(span).collect();
            self.0.extend(cuts(&items));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str, language: Language) -> Vec<String> {
        without_each(text, language).into_iter().map(|(left, _)| left).collect()
    }

    #[test]
    fn each_alternative_of_a_word_goes_with_its_bar() {
        let all = left("npm|pnpm|yarn publish", Language::Words);
        assert_eq!(all, ["pnpm|yarn publish", "npm|yarn publish", "npm|pnpm publish"]);
        assert_eq!(left("!Edit|Write", Language::Words), ["!Write", "!Edit"]);
        assert!(left("git push", Language::Words).is_empty());
    }

    #[test]
    fn each_alternative_in_braces_goes_with_its_comma() {
        assert_eq!(left("*.{pem,key}", Language::Braces), ["*.{key}", "*.{pem}"]);
        assert!(left("*.pem", Language::Braces).is_empty());
    }

    #[test]
    fn alternatives_of_a_regular_expression_are_cut_at_every_depth() {
        let all = left(r"\b(drop|truncate)\b[|]|x", Language::Regex);
        assert_eq!(
            all,
            ["x", r"\b(drop|truncate)\b[|]", r"\b(truncate)\b[|]|x", r"\b(drop)\b[|]|x"]
        );
        assert!(left("(", Language::Regex).is_empty());
    }
}
