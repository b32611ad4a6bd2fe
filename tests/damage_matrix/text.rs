//! The damage that is done to the text of a verdict.

use hookgate::contract::VerdictDecision;

/// A damage, and what it makes of a verdict.
pub(crate) type Damage = (&'static str, fn(&str) -> Vec<u8>);

fn bytes(text: impl Into<String>) -> Vec<u8> {
    text.into().into_bytes()
}

/// Each of them makes of a good verdict one that must be refused.
pub(crate) const ALL: &[Damage] = &[
    ("upper case", |text| bytes(text.to_uppercase())),
    ("key in another case", |text| bytes(text.replace("\"decision\"", "\"Decision\""))),
    ("decision in another case", |text| {
        let decision =
            text.split('"').find(|part| VerdictDecision::from_name(part).is_some()).unwrap();
        bytes(text.replace(&format!("\"{decision}\""), &format!("\"{}\"", capital(decision))))
    }),
    ("cut", |text| bytes(&text[..text.len() - 3])),
    ("extra key", |text| bytes(text.replacen('{', "{\"sure\":true,", 1))),
    ("wrong type", |text| bytes(text.replace("\"why\"", "42"))),
    ("two objects", |text| bytes(format!("{{\"decision\":\"allow\",\"reason\":\"x\"}}{text}"))),
    ("trailing text", |text| bytes(format!("{text} and more"))),
    ("duplicate key", |text| bytes(text.replacen('{', "{\"decision\":\"allow\",", 1))),
    ("byte order mark", |text| bytes(format!("\u{feff}{text}"))),
    ("invalid utf-8", |text| {
        let mut bytes = bytes(text);
        let at = bytes.windows(3).position(|part| part == b"why").unwrap();
        bytes[at] = 0xff;
        bytes
    }),
    ("prose around", |text| bytes(format!("My verdict is {text} Good luck!"))),
    ("in a list", |text| bytes(format!("[{text}]"))),
    ("encoded twice", |text| bytes(serde_json::Value::from(text).to_string())),
    ("a dictionary of Python", |text| bytes(text.replace('"', "'"))),
];

fn capital(decision: &str) -> String {
    format!("{}{}", decision[..1].to_uppercase(), &decision[1..])
}

/// A good verdict. For a model it has a nonce, which the server of the tests fills in.
pub(crate) fn good(decision: VerdictDecision, nonce: bool) -> String {
    let nonce = if nonce { "\"nonce\":\"NONCE\"," } else { "" };
    format!("{{{nonce}\"decision\":\"{decision}\",\"reason\":\"why\"}}")
}
