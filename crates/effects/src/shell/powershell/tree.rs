//! PowerShell that was read.

/// Statements, one after the other.
pub(super) type Block = Vec<Statement>;

/// A statement. What may run and may not (both branches of an `if`, the body of a loop) is treated alike.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    /// `a | b`
    Pipeline(Vec<Element>),
    /// `$x = …`; the name of a plain variable, in lower case.
    Assign { name: Option<String>, value: Block },
    /// `if`, `foreach`, `try`, …: the conditions and the bodies.
    Control(Vec<Block>),
    /// `function NAME { … }`
    Function { name: String, body: Block },
}

/// A part of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    pub(super) kind: Kind,
    /// The files that its output goes to.
    pub(super) redirects: Vec<Expression>,
}

/// What a part of a pipeline is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A command: its name, and what follows. `called` tells that it was called with `&` or `.`.
    Command { name: Expression, called: bool, arguments: Vec<Argument> },
    /// A value: `'text'`, `$x.Name`, `[IO.File]::Delete('x')`.
    Value(Expression),
}

/// What follows the name of a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Argument {
    /// `-Name`, `-Name:value`, as written.
    Parameter { written: String, name: String, value: Option<Expression> },
    /// Anything else.
    Value(Expression),
}

/// Operands with operators between them; `,` is one of these.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Expression {
    pub(super) operands: Vec<Operand>,
    pub(super) operators: Vec<String>,
}

/// A value, and what is taken of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    pub(super) base: Base,
    pub(super) postfix: Vec<Postfix>,
    /// Whether something stands before it that makes another value of it: `[type]`, `-not`, `-join`.
    pub(super) is_changed: bool,
    /// The text of it.
    pub(super) written: String,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Base {
    /// Text in quotes or bare.
    Text(Vec<Piece>),
    /// `$name`, in lower case.
    Variable(String),
    /// `( … )`, `$( … )`, `@( … )`
    Group(Block),
    /// `@{ … }`: its values.
    Table(Block),
    /// `{ … }`
    Script(Block),
    /// `[Type]`, in lower case.
    Type(String),
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Variable(String),
    Group { block: Block, written: String },
}

/// What is taken of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Postfix {
    /// `.Name`; none if the name is computed.
    Member(Option<String>),
    /// `.Name( … )`, in lower case.
    Call(Option<String>, Vec<Expression>),
    /// `[ … ]`
    Index(Block),
}
