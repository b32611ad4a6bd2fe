//! What a text of bash consists of. Places in the text are not kept: nobody asks for them.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands in their order.
pub(crate) type List = Vec<Item>;

/// A pipeline and what joins it to the one before.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) joint: Joint,
    pub(crate) pipeline: Pipeline,
    /// Whether `&` follows.
    pub(crate) background: bool,
}

/// What stands before a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// A semicolon, a new line, `&`, or nothing.
    Next,
    And,
    Or,
}

/// Commands with `|` in between.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    /// Whether the reserved word `time` stands before it.
    pub(crate) timed: bool,
    /// Whether `!` stands before it.
    pub(crate) negated: bool,
    pub(crate) commands: Vec<Command>,
}

/// A command and its redirections.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Simple(Simple),
    Subshell(List),
    Group(List),
    /// Pairs of condition and body, and the body after `else`.
    If(Vec<(List, List)>, List),
    /// `while`, or `until`.
    While {
        until: bool,
        condition: List,
        body: List,
    },
    /// `for` and `select`. Without `in` there are no words: it goes through `"$@"`.
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    /// `for ((…))`
    ForArithmetic(Word, List),
    Case(Word, Vec<(Vec<Word>, List)>),
    Function(String, Rc<Command>),
    /// `[[ … ]]`: its words, operators included.
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
    Coprocess(Box<Command>),
}

/// Assignments, a program and its words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    /// Assignments among the words of `declare`, `export` and the like. They stand in `words`, too.
    pub(crate) declared: Vec<Assignment>,
}

#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) subscript: Option<Word>,
    /// `+=`
    pub(crate) append: bool,
    pub(crate) value: Assigned,
}

#[derive(Debug, Clone)]
pub(crate) enum Assigned {
    Word(Word),
    Array(Vec<Word>),
}

/// A word as it stands in the text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// Text without quotes: braces and a tilde in it mean something.
    Bare(String),
    /// Text in quotes or behind a backslash.
    Quoted(String),
    /// Unquoted characters that match names of files.
    Glob(String),
    Parameter(Rc<Parameter>),
    /// `$(…)` and backticks.
    Command(Rc<Substitution>),
    /// `<(…)` and `>(…)`.
    Process(Rc<Substitution>),
    /// `$((…))`: the expansions in it.
    Arithmetic(Rc<(Word, String)>),
}

/// `$x` or `${x…}`.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// As in the text, cut if it is long.
    pub(crate) written: String,
    pub(crate) quoted: bool,
    pub(crate) subscript: Option<Word>,
    /// Whether it is more than the value: `${x%y}`, `${#x}`, `${!x}`.
    pub(crate) changed: bool,
    /// What stands after the operator.
    pub(crate) operand: Word,
}

#[derive(Debug, Clone)]
pub(crate) struct Substitution {
    pub(crate) list: List,
    /// As in the text, cut if it is long.
    pub(crate) written: String,
    pub(crate) quoted: bool,
}

/// A redirection.
#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    /// The number or the `{name}` before it; empty if there is none.
    pub(crate) descriptor: String,
    pub(crate) operator: Operator,
    pub(crate) target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`
    Write,
    /// `&>`, `&>>`
    WriteBoth,
    /// `<>`
    ReadWrite,
    /// `<&`
    CopyIn,
    /// `>&`
    CopyOut,
    /// `<<<`
    HereString,
    /// `<<`, `<<-`
    HereDocument,
}

#[derive(Debug, Clone)]
pub(crate) enum Target {
    Word(Word),
    /// The text is read after the line; empty until then.
    Document(Rc<OnceCell<Word>>),
}

impl Word {
    /// Adds a piece, and joins texts of the same kind.
    pub(crate) fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (Some(Piece::Bare(last)), Piece::Bare(text))
            | (Some(Piece::Quoted(last)), Piece::Quoted(text))
            | (Some(Piece::Glob(last)), Piece::Glob(text)) => last.push_str(&text),
            (_, piece) => self.pieces.push(piece),
        }
    }

    /// Returns the text without its quotes if nothing in it is expanded.
    pub(crate) fn literal(&self) -> Option<String> {
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Bare(text) | Piece::Quoted(text) | Piece::Glob(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Returns the text if it is one without quotes and expansions.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Bare(text)] => Some(text),
            _ => None,
        }
    }
}
