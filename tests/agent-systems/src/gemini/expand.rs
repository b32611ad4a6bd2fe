//! Where variables are filled in. Gemini CLI does it twice: in all texts of its settings when it reads
//! them, so that quotes protect nothing, and in the command when it runs.

use serde_json::{Map, Value};

use crate::foreign::Host;

/// Fills in the variables of all texts. What is not set stays, unless it has a default (`${X:-y}`).
pub(super) fn settings(value: &Value, variable: &impl Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, variable)),
        Value::Array(items) => items.iter().map(|item| settings(item, variable)).collect(),
        Value::Object(fields) => {
            let fill = |(name, field): (&String, &Value)| (name.clone(), settings(field, variable));
            Value::Object(fields.iter().map(fill).collect())
        }
        other => other.clone(),
    }
}

fn fill(text: &str, variable: &impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let braced = after.strip_prefix('{').and_then(|after| after.split_once('}'));
        let (place, behind) = match braced {
            Some((place, behind)) if !place.is_empty() => (place, behind),
            _ => after.split_at(after.find(|sign| !is_name_sign(sign)).unwrap_or(after.len())),
        };
        let (name, default) = match place.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (place, None),
        };
        match variable(name).or(default).filter(|_| !place.is_empty()) {
            Some(value) => {
                filled.push_str(&value);
                rest = behind;
            }
            None => {
                filled.push('$');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

const fn is_name_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// Returns what a program gets, beside the environment of the agent.
pub(super) fn variables(input: &Map<String, Value>, host: &Host) -> Vec<(&'static str, String)> {
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let cwd = text("cwd").unwrap_or_else(|| host.cwd.to_string_lossy().into_owned());
    let mut variables = vec![("GEMINI_PROJECT_DIR", cwd.clone()), ("GEMINI_CWD", cwd.clone())];
    variables.extend(plans_dir(input, host).map(|plans| ("GEMINI_PLANS_DIR", plans)));
    variables.extend(text("session_id").map(|session| ("GEMINI_SESSION_ID", session)));
    variables.push(("CLAUDE_PROJECT_DIR", cwd));
    variables
}

/// The folder of plans lies beside that of the transcripts.
fn plans_dir(input: &Map<String, Value>, host: &Host) -> Option<String> {
    if let Some(plans) = host.facts.get("plans_dir").and_then(Value::as_str) {
        return Some(plans.to_owned());
    }
    let transcript = input.get("transcript_path").and_then(Value::as_str)?;
    let (project, _) = transcript.rsplit_once("/chats/")?;
    Some(format!("{project}/plans"))
}

/// Fills in the folders and the session, as words of a shell.
pub(super) fn command(command: &str, variables: &[(&str, String)]) -> String {
    variables.iter().fold(command.to_owned(), |command, (name, value)| {
        command.replace(&format!("${name}"), &quoted(value))
    })
}

/// Writes a text so that a shell reads it as one word.
fn quoted(text: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:@%+=,".contains(sign);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{command, fill};

    #[test]
    fn what_is_set_is_filled_in_and_the_rest_stays() {
        let variable = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let cases = [
            ("$A ${A} '$A'", "1 1 '1'"),
            ("$NO ${NO} $", "$NO ${NO} $"),
            ("${NO:-x} ${A:-x} ${EMPTY:-x}.", "x 1 ."),
            ("$AB ${} ${A", "$AB ${} ${A"),
            ("$$A", "$1"),
        ];
        for (text, expected) in cases {
            assert_eq!(fill(text, &variable), expected, "{text}");
        }
    }

    #[test]
    fn a_folder_becomes_one_word() {
        let variables = [("GEMINI_CWD", "/a b/it's".to_owned())];
        assert_eq!(command("ls $GEMINI_CWD/x", &variables), r"ls '/a b/it'\''s'/x");
        let variables = [("GEMINI_CWD", "/srv/x".to_owned())];
        assert_eq!(command("ls $GEMINI_CWD", &variables), "ls /srv/x");
        assert_eq!(command("ls ''", &[]), "ls ''");
    }
}
