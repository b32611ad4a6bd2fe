//! How the output of a program is read: `stdout` and `silence`.

use hookgate_contract::settings::Settings;

/// What the program writes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StdoutFormat {
    /// A verdict, as JSON.
    Verdict,
    /// Text for the model, as it is.
    Context,
}

impl StdoutFormat {
    const NAMES: &[&str] = &["verdict", "context"];

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "verdict" => Some(Self::Verdict),
            "context" => Some(Self::Context),
            _ => None,
        }
    }
}

/// What an exit status of 0 without an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Silence {
    /// No opinion.
    #[default]
    Abstain,
    /// A failure: the hook always answers.
    Failure,
}

impl Silence {
    const NAMES: &[&str] = &["abstain", "failure"];

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "abstain" => Some(Self::Abstain),
            "failure" => Some(Self::Failure),
            _ => None,
        }
    }
}

/// How the answer of a program is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyFormat {
    /// What stdout holds (default: a verdict).
    pub(crate) stdout: StdoutFormat,
    /// What silence means (default: no opinion).
    pub(crate) silence: Silence,
}

impl ReplyFormat {
    /// Reads `stdout` and `silence`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let stdout = settings.choice("stdout", StdoutFormat::NAMES, StdoutFormat::from_name);
        let stdout = stdout.unwrap_or(StdoutFormat::Verdict);
        let silence = settings.choice("silence", Silence::NAMES, Silence::from_name);
        if silence == Some(Silence::Failure) && stdout == StdoutFormat::Context {
            settings.invalid("silence", "text for the model may be empty: leave it out");
        }
        Self { stdout, silence: silence.unwrap_or_default() }
    }
}
