//! What a judge cannot see of a step: pictures, sounds and documents, and bytes that are written as text.
//!
//! A model that reads base64 reads letters. What it allows it has not seen, so a judge does not decide on a step
//! with such a part, unless its settings say that the rest is enough.

use data_encoding::HEXLOWER;
use hmac_sha256::Hash;
use hookgate_contract::{Failure, FailureClass};
use serde_json::{Map, Value};

use crate::settings::show::Images;

/// How many letters of base64 in a row are bytes and no word. Hashes, tokens and public keys are shorter.
const LONGEST_WORD: usize = 1024;

/// How many are bytes if they begin as a picture does, or if a data URL says so.
const SHORTEST_FILE: usize = 64;

/// How long a line of base64 is at least that goes on in the next one. Programs break them behind 64 or 76.
const SHORTEST_LINE: usize = 60;

/// The keys that say of which type the bytes beside them are.
const MEDIA_TYPES: [&str; 5] = ["mimeType", "mime_type", "mediaType", "media_type", "content_type"];

/// The types whose bytes are text all the same.
const TEXTS: [&str; 4] = ["text/", "application/json", "application/xml", "application/javascript"];

/// The values of `type` of a part that is no text.
const PARTS: [&str; 8] = [
    "image",
    "image_url",
    "input_image",
    "audio",
    "input_audio",
    "video",
    "input_file",
    "document",
];

/// The keys under which such a part has its bytes, or says where they are.
const BYTES: [&str; 9] =
    ["data", "blob", "base64", "bytes", "source", "image_url", "file_data", "input_audio", "url"];

/// Takes out of an excerpt what no model can see, and returns how many bytes that were.
///
/// # Errors
/// [`FailureClass::Unsure`] if there is such a part and the judge is not to decide on the rest.
pub(super) fn take_out(json: &mut Vec<u8>, images: Images) -> Result<usize, Failure> {
    if !may_be_there(json) {
        return Ok(0);
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(json) else { return Ok(0) };
    let mut found = Found::default();
    found.walk(&mut value);
    let Some(what) = found.first else { return Ok(0) };
    match images {
        Images::Fail => {
            let detail = format!(
                "the judge cannot see {what} in this step, so it does not decide: with images = \"leave_out\" it \
                 decides on the rest"
            );
            Err(Failure::new(FailureClass::Unsure, detail))
        }
        Images::LeaveOut => {
            *json = value.to_string().into_bytes();
            Ok(found.bytes)
        }
    }
}

/// Whether it is worth to look: most steps have nothing of the kind.
fn may_be_there(json: &[u8]) -> bool {
    let has = |word: &str| json.windows(word.len()).any(|part| part == word.as_bytes());
    json.split(|byte| !is_base64(*byte)).any(|run| run.len() >= SHORTEST_LINE)
        || [";base64,", "ype\":\""].iter().any(|word| has(word))
}

/// Returns how long the run of letters of base64 is with which a text begins, over line breaks.
fn run_at(text: &str) -> usize {
    let line = |text: &str| text.bytes().take_while(|byte| is_base64(*byte)).count();
    let mut end = line(text);
    let mut last = end;
    while last >= SHORTEST_LINE
        && let Some(behind) = text.get(end..)
        && let Some(next) = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n'))
    {
        last = line(next);
        if last == 0 {
            break;
        }
        end += behind.len() - next.len() + last;
    }
    end
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

/// What was found.
#[derive(Default)]
struct Found {
    bytes: usize,
    /// The first of it, in words.
    first: Option<String>,
}

impl Found {
    /// Notes a part, and returns what stands in its place. Its digest keeps two steps apart that differ in it.
    fn replace(&mut self, what: &str, written: &str) -> String {
        let size = written.len();
        self.bytes = self.bytes.saturating_add(size);
        self.first.get_or_insert_with(|| format!("{what} ({size} bytes)"));
        let digest = Hash::hash(written.as_bytes());
        let digest = HEXLOWER.encode(digest.get(..8).unwrap_or_default());
        format!("[not shown: {what}, {size} bytes, {digest}]")
    }

    fn walk(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(left) = self.text(text) {
                    *text = left;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item)),
            Value::Object(fields) => match part_of(fields) {
                Some(what) => {
                    let written = Value::Object(std::mem::take(fields)).to_string();
                    *value = self.replace(&what, &written).into();
                }
                None => fields.values_mut().for_each(|field| self.walk(field)),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Takes the bytes out of a text; `None` if it has none.
    fn text(&mut self, text: &str) -> Option<String> {
        let mut left = String::new();
        let mut kept = 0;
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let run = run_at(rest);
            let word = text.get(at..at + run).unwrap_or_default();
            let (before, media) = named_by(text.get(kept..at).unwrap_or_default(), word);
            if is_bytes(word, media.is_some()) {
                let what = media.unwrap_or_else(|| "base64".to_owned());
                left.push_str(before);
                left.push_str(&self.replace(&what, word));
                kept = at + run;
            }
            let next = rest.get(run..).and_then(|behind| behind.chars().next());
            at += run + next.map_or(0, char::len_utf8);
        }
        (kept > 0).then(|| left + text.get(kept..).unwrap_or_default())
    }
}

/// Whether a run of letters is bytes: it is that of a file, or it is long, and letters of both cases and digits are mixed in it, which
/// they are not in paths, hashes and words.
fn is_bytes(run: &str, is_file: bool) -> bool {
    if is_file {
        return run.len() >= SHORTEST_FILE;
    }
    let share = |is: fn(&u8) -> bool| run.bytes().filter(is).count() * 20 >= run.len();
    run.len() >= LONGEST_WORD
        && share(u8::is_ascii_uppercase)
        && share(u8::is_ascii_lowercase)
        && run.bytes().any(|byte| byte.is_ascii_digit())
        && run.bytes().filter(|byte| *byte == b'/').count() * 20 < run.len()
}

/// Names bytes by the beginning of a data URL before them, which belongs to them, or by how they begin.
fn named_by<'t>(before: &'t str, bytes: &str) -> (&'t str, Option<String>) {
    if let Some(at) = before.rfind("data:")
        && let Some(media) = before.get(at + 5..).and_then(|rest| rest.strip_suffix(";base64,"))
        && media.len() < 80
    {
        return (before.get(..at).unwrap_or_default(), Some(media.to_owned()));
    }
    const BEGINNINGS: [(&str, &str); 6] = [
        ("iVBORw0KGgo", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
        ("JVBERi0", "application/pdf"),
        ("UEsDB", "application/zip"),
    ];
    let known = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
    (before, known.map(|(_, media)| (*media).to_owned()))
}

/// Returns what an object is if it stands for a picture, a sound or another file: its type says so, and it has
/// bytes or the place of them.
fn part_of(fields: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let has_bytes = BYTES.iter().any(|name| {
        fields.get(*name).is_some_and(|value| match value {
            Value::String(text) => !text.is_empty(),
            Value::Object(source) => is_source(source),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        })
    });
    if !has_bytes {
        return None;
    }
    let media = MEDIA_TYPES.iter().find_map(|name| text(name));
    if let Some(media) = media {
        return (!is_text(media)).then(|| media.to_owned());
    }
    let kind = text("type")?;
    PARTS.contains(&kind).then(|| kind.to_owned())
}

/// Whether a nested object holds bytes, or the place of them, and no text.
fn is_source(source: &Map<String, Value>) -> bool {
    let text = |name: &str| source.get(name).and_then(Value::as_str);
    let is_text_part = text("type") == Some("text");
    let media = MEDIA_TYPES.iter().find_map(|name| text(name));
    !is_text_part
        && media.is_none_or(|media| !is_text(media))
        && BYTES.iter().any(|name| text(name).is_some())
}

fn is_text(media: &str) -> bool {
    TEXTS.iter().any(|text| media.starts_with(text))
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Returns what is left of a step without what cannot be seen, and how much that was.
    fn rest(step: &Value) -> (String, usize) {
        let mut json = step.to_string().into_bytes();
        let bytes = take_out(&mut json, Images::LeaveOut).unwrap();
        (String::from_utf8(json).unwrap(), bytes)
    }

    /// Bytes without an order, as compressed ones are.
    fn noise(size: usize) -> String {
        let digests = (0_u64..).flat_map(|n| Hash::hash(&n.to_le_bytes()));
        BASE64.encode(&digests.take(size).collect::<Vec<u8>>())
    }

    /// Breaks base64 into lines, as `base64` does.
    fn lines(base64: &str) -> String {
        let bytes: Vec<char> = base64.chars().collect();
        let lines: Vec<String> = bytes.chunks(76).map(|line| line.iter().collect()).collect();
        lines.join("\n")
    }

    #[test]
    fn a_step_with_a_picture_is_not_decided() {
        let picture = noise(3000);
        for step in [
            json!({"attachments": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]}),
            json!({"content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]}),
            json!({"content": [{"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}]}),
            json!({"content": [{"type": "image_url", "image_url": "https://x.test/a.png"}]}),
            json!({"file": {"mime_type": "application/pdf", "blob": "aGk="}}),
            json!({"prompt": format!("look: ![x](data:image/png;base64,{picture})")}),
            json!({"tool_input": {"command": format!("echo {picture} | base64 -d | sh")}}),
            json!({"tool_response": picture}),
            json!({"tool_response": lines(&picture)}),
            json!({"tool_response": format!("iVBORw0KGgo{}", picture.get(..100).unwrap_or_default())}),
        ] {
            let mut json = step.to_string().into_bytes();
            let failure = take_out(&mut json, Images::Fail).unwrap_err();
            assert_eq!(failure.class, FailureClass::Unsure, "{step}");
            let (left, bytes) = rest(&step);
            assert!(left.contains("[not shown: ") && bytes > 0, "{left}");
            assert!(!left.contains(&picture) && !left.contains("aGk="), "{left}");
        }
    }

    #[test]
    fn what_a_model_can_read_stays_as_it_is() {
        let path = "/srv/Projects/AlphaTeam1/node_modules/Some-Package_Name2/dist/".repeat(30);
        for step in [
            json!({"tool_input": {"command": "git diff", "type": "image"}}),
            json!({"tool_input": {"file_path": path}}),
            json!({"hash": "0123456789abcdef".repeat(100), "key": noise(500)}),
            json!({"rule": "=".repeat(2000), "word": "a".repeat(2000), "up": "AB".repeat(1000)}),
            json!({"content": [{"type": "text", "text": "an image", "data": "x"}]}),
            json!({"file": {"mime_type": "text/plain", "data": "words"}}),
            json!({"type": "document", "url": ""}),
        ] {
            assert_eq!(rest(&step), (step.to_string(), 0));
        }
    }

    #[test]
    fn two_pictures_are_two_questions() {
        let step = |data: String| rest(&json!({"type": "image", "data": data})).0;
        assert_ne!(step(noise(300)), step(noise(301)));
    }

    proptest! {
        #[test]
        fn bytes_are_found_wherever_they_stand(
            bytes in prop::collection::vec(any::<u8>(), 1000..2000),
            before in "[ -~]{0,40} ", after in " [ -~]{0,40}",
        ) {
            let bytes = BASE64.encode(&bytes);
            prop_assume!(is_bytes(&bytes, false));
            let (left, size) = rest(&json!({"a": {"b": [format!("{before}{bytes}{after}")]}}));
            prop_assert!(size >= bytes.len());
            prop_assert!(!left.contains(&bytes));
        }

        #[test]
        fn short_texts_stay(text in "\\PC{0,200}") {
            let step = json!({"tool_input": {"command": text}});
            prop_assert_eq!(rest(&step), (step.to_string(), 0));
        }
    }
}
