//! The texts of here-documents.

use super::Problem;
use super::parser::{Document, Parser};
use super::tree::{Piece, Word};

impl<'t> Parser<'t> {
    /// Reads the texts of all here-documents of the line that ended just now.
    pub(super) fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            self.read_document(document);
        }
    }

    fn read_document(&mut self, document: Document) {
        let start = self.at;
        let mut end = None;
        while self.at < self.text.len() {
            let line_start = self.at;
            let rest = self.rest();
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let line = if document.strip_tabs { line.trim_start_matches('\t') } else { line };
            self.at = (self.at + length + 1).min(self.text.len());
            if line == document.end {
                end = Some(line_start);
                break;
            }
            // `$(cat <<E … E)`: the bracket may stand right behind the sign.
            if line.strip_prefix(document.end.as_str()).is_some_and(|after| after.starts_with(')'))
                && self.depth > 1
                && !document.end.is_empty()
            {
                end = Some(line_start);
                let indent = rest.get(..length).unwrap_or_default().len() - line.len();
                self.at = line_start + indent + document.end.len();
                break;
            }
        }
        if end.is_none() {
            self.fail(Problem::Unclosed);
        }
        let text = self.text.get(start..end.unwrap_or(self.at)).unwrap_or_default();
        let stripped;
        let text = if document.strip_tabs {
            stripped = text
                .split_inclusive('\n')
                .map(|line| line.trim_start_matches('\t'))
                .collect::<String>();
            stripped.as_str()
        } else {
            text
        };
        let body = if document.expands {
            self.document_text(text)
        } else {
            let mut word = Word::default();
            word.push(Piece::Quoted(text.to_owned()));
            word
        };
        // The place is empty: each document is read once.
        let _ = document.body.set(body);
    }

    /// Reads a text in which expansions count, and quotes do not.
    fn document_text(&mut self, text: &str) -> Word {
        let mut inner = Parser::new(text, self.depth + 1);
        let mut word = Word::default();
        inner.double_quoted(&mut word, None);
        if let Some(problem) = inner.problem {
            self.fail(problem);
        }
        word
    }

    /// Reads the text of a subscript, as an arithmetic expression.
    pub(super) fn nested_text(&mut self, text: &str) -> Word {
        let mut inner = Parser::new(text, self.depth + 1);
        let word = inner.arithmetic("");
        if let Some(problem) = inner.problem {
            self.fail(problem);
        }
        word
    }
}
