//! The lines of a formatted text, made from the events of the parser.

use toml_parser::parser::{Event, EventKind};

/// By how much a level is indented.
const INDENT: usize = 2;

/// A line: what is written, and the comment behind it.
#[derive(Debug, Default)]
struct Line {
    indent: usize,
    code: String,
    comment: Option<Comment>,
}

/// A comment, and where it stood.
#[derive(Debug)]
struct Comment {
    text: String,
    /// The column in characters, from 0.
    column: usize,
    /// How many spaces were before it.
    gap: usize,
}

impl Line {
    fn is_blank(&self) -> bool {
        self.code.is_empty() && self.comment.is_none()
    }

    fn is_comment(&self) -> bool {
        self.code.is_empty() && self.comment.is_some()
    }

    fn write(&self, out: &mut String) {
        if self.is_blank() {
            return;
        }
        out.push_str(&" ".repeat(self.indent));
        out.push_str(&self.code);
        let Some(comment) = &self.comment else { return };
        if !self.code.is_empty() {
            // A text on several lines ends at the left.
            let width = match self.code.rsplit_once('\n') {
                Some((_, last)) => last.chars().count(),
                None => self.indent + self.code.chars().count(),
            };
            // More than one space was written to align comments, so the column counts.
            let aligned = comment.column.saturating_sub(width).max(1);
            out.push_str(&" ".repeat(if comment.gap > 1 { aligned } else { 1 }));
        }
        out.push_str(&comment.text);
    }
}

/// An array or a table in braces that is open.
#[derive(Debug)]
struct Bracket {
    /// The indent of the line that it was opened on.
    indent: usize,
    /// Whether the line ends behind the bracket.
    broken: bool,
}

/// The lines so far.
#[derive(Debug)]
pub(super) struct Layout<'t> {
    text: &'t str,
    lines: Vec<Line>,
    line: Line,
    open: Vec<Bracket>,
    /// What stands last on the line.
    before: Option<EventKind>,
    /// What was written last, and on which line.
    last: Option<(EventKind, usize)>,
}

impl<'t> Layout<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        let line = Line { indent: 0, code: String::new(), comment: None };
        Self { text, lines: Vec::new(), line, open: Vec::new(), before: None, last: None }
    }

    /// Takes the next part of the text.
    pub(super) fn take(&mut self, event: &Event) {
        let span = event.span();
        let (start, end) = (span.start(), span.end());
        let text = self.text.get(start..end).unwrap_or_default();
        match event.kind() {
            EventKind::Whitespace | EventKind::Error => {}
            EventKind::Newline => self.end_line(),
            EventKind::Comment => self.comment(text, start),
            EventKind::ValueSep => self.comma(),
            kind @ (EventKind::StdTableOpen | EventKind::ArrayTableOpen) => {
                self.separate();
                self.write(kind, text);
            }
            kind @ (EventKind::ArrayOpen | EventKind::InlineTableOpen) => {
                self.write(kind, text);
                self.open.push(Bracket { indent: self.line.indent, broken: false });
            }
            kind @ (EventKind::ArrayClose | EventKind::InlineTableClose) => self.close(kind, text),
            kind => self.write(kind, text),
        }
    }

    /// Returns all lines.
    pub(super) fn finish(mut self, newline: &str) -> String {
        self.end_line();
        self.drop_blank();
        let mut text = String::new();
        for line in &self.lines {
            line.write(&mut text);
            text.push_str(newline);
        }
        text
    }

    /// Writes a part behind what is on the line.
    fn write(&mut self, kind: EventKind, text: &str) {
        if self.line.code.is_empty() {
            self.line.indent = self.indent();
        } else if self.before.is_some_and(|before| are_apart(before, kind)) {
            self.line.code.push(' ');
        }
        self.line.code.push_str(text);
        self.before = Some(kind);
        self.last = Some((kind, self.lines.len()));
    }

    fn indent(&self) -> usize {
        self.open.last().map_or(0, |bracket| bracket.indent + INDENT)
    }

    fn comment(&mut self, text: &str, at: usize) {
        if self.line.code.is_empty() {
            self.line.indent = self.indent();
        }
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let written = line.trim_end();
        let gap = line.strip_prefix(written).unwrap_or_default();
        // The width of a tab depends on who looks at it.
        let gap = if gap.contains('\t') { 1 } else { gap.len() };
        let (text, column) = (text.trim_end().to_owned(), line.chars().count());
        self.line.comment = Some(Comment { text, column, gap });
    }

    fn end_line(&mut self) {
        let is_open =
            matches!(self.last, Some((EventKind::ArrayOpen | EventKind::InlineTableOpen, _)));
        if is_open && let Some(bracket) = self.open.last_mut() {
            bracket.broken = true;
        }
        let line = std::mem::take(&mut self.line);
        self.before = None;
        let is_first = self.lines.last().is_none_or(|last| {
            last.is_blank() || (is_open && !self.open.is_empty() && !last.is_comment())
        });
        if !(line.is_blank() && is_first) {
            self.lines.push(line);
        }
    }

    fn drop_blank(&mut self) {
        while self.lines.last().is_some_and(Line::is_blank) {
            self.lines.pop();
        }
    }

    /// Sets a table apart from what is above it and above the comment that belongs to it.
    fn separate(&mut self) {
        let comments = self.lines.iter().rev().take_while(|line| line.is_comment()).count();
        let first = self.lines.len() - comments;
        let above = first.checked_sub(1).and_then(|above| self.lines.get(above));
        if above.is_some_and(|above| !above.is_blank()) {
            self.lines.insert(first, Line::default());
        }
    }

    /// Returns the line of what was written last.
    fn last_line(&mut self) -> &mut Line {
        let at = self.last.map_or(usize::MAX, |(_, at)| at);
        self.lines.get_mut(at).unwrap_or(&mut self.line)
    }

    /// Writes a comma behind the value that it belongs to, which may be on a line above.
    fn comma(&mut self) {
        self.last_line().code.push(',');
        let at = self.last.map_or(self.lines.len(), |(_, at)| at);
        if at == self.lines.len() {
            self.before = Some(EventKind::ValueSep);
        }
        self.last = Some((EventKind::ValueSep, at));
    }

    fn close(&mut self, kind: EventKind, text: &str) {
        let Some(bracket) = self.open.pop() else { return self.write(kind, text) };
        if bracket.broken && !self.line.is_blank() {
            self.end_line();
        }
        let on_own_line = self.line.code.is_empty();
        let last = self.last.map(|(kind, _)| kind);
        if on_own_line {
            self.drop_blank();
            let is_empty = matches!(last, Some(EventKind::ArrayOpen | EventKind::InlineTableOpen));
            let is_array = kind == EventKind::ArrayClose;
            if is_array && !is_empty && last != Some(EventKind::ValueSep) {
                self.comma();
            }
        } else if last == Some(EventKind::ValueSep) {
            self.line.code.pop();
            self.before = Some(EventKind::Scalar);
        }
        self.write(kind, text);
        if on_own_line {
            self.line.indent = bracket.indent;
        }
    }
}

/// Tells whether there is a space between two parts on one line.
fn are_apart(before: EventKind, after: EventKind) -> bool {
    use EventKind::{InlineTableClose, InlineTableOpen, KeyValSep, ValueSep};
    match (before, after) {
        (_, ValueSep) | (InlineTableOpen, InlineTableClose) => false,
        (KeyValSep | ValueSep | InlineTableOpen, _) | (_, KeyValSep | InlineTableClose) => true,
        _ => false,
    }
}
