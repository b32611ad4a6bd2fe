//! Entries as workflow commands of GitHub Actions, which shows them at the lines of a pull request.

use super::entry::{Entry, Level};
use super::place::relative;

/// Returns one command a line: `::error file=hooks.toml,line=3,col=9,title=unknown_event::message`.
pub(super) fn commands(entries: &[Entry]) -> String {
    entries.iter().map(command).collect()
}

fn command(entry: &Entry) -> String {
    let name = match entry.level {
        Level::Note => "notice",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let (line, column) = entry.position();
    let help = entry.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    format!(
        "::{name} file={},line={line},col={column},title={}::{}\n",
        property(&relative(&entry.file)),
        property(entry.code),
        data(&format!("{}{help}", entry.message)),
    )
}

/// Escapes a message: a line end would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which a comma ends.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_the_command() {
        let entry = Entry {
            code: "syntax",
            level: Level::Error,
            file: "a,b:c.toml".to_owned(),
            at: Some((2, 7)),
            message: "50% of\r\n::warning::x".to_owned(),
            help: Some("mend it".to_owned()),
        };
        assert_eq!(
            commands(&[entry]),
            "::error file=a%2Cb%3Ac.toml,line=2,col=7,title=syntax\
             ::50%25 of%0D%0A::warning::x%0Ahelp: mend it\n"
        );
    }
}
