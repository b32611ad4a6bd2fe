//! The definition of a judge: a hash of everything that decides what it answers.
//!
//! Two judges with the same definition are the same judge. They share cached answers, requests in
//! flight and, across a reload, one handler. The definition is also the handler's identity, and so a
//! part of the hash of a config: it must be the same on every machine and in every build. It is
//! therefore made of the canonical JSON of the settings (RFC 8785: sorted keys, one spelling of each
//! number) and of the text of the rule, and never of what `Debug` prints.

use hookgate_contract::json::canonical;
use hookgate_contract::settings::Settings;
use serde_json::{Map, Value};

use crate::digest::{self, Digest};

/// What a judge is known by.
pub(crate) type Definition = Digest;

/// Hashes settings and the parts that they only name, such as the content of a rule file.
pub(crate) fn definition(settings: &Settings<'_>, parts: &[&[u8]]) -> Definition {
    let entries = settings.entries().iter();
    let all: Map<String, Value> =
        entries.map(|entry| (entry.key.clone(), entry.node.to_json())).collect();
    let settings = canonical(&Value::Object(all));
    digest::of_parts(std::iter::once(settings.as_bytes()).chain(parts.iter().copied()))
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use hookgate_contract::settings::Node;
    use serde_json::json;

    use super::*;

    fn hex(settings: &Value, parts: &[&[u8]]) -> String {
        let node = Node::from_json(settings);
        HEXLOWER.encode(&definition(&Settings::new(&node), parts))
    }

    #[test]
    fn a_definition_is_the_same_in_every_build() {
        let settings = json!({"model": "m", "temperature": 0.5, "vars": {"b": 1, "a": [true]}});
        assert_eq!(
            hex(&settings, &[b"No force."]),
            "ac4e273499a1cc562993cb1d1fb4b26ef26907acbe77246642a237b32bd89c07"
        );
        // The order of the keys is not a part of it; every value and every part is.
        let reordered = json!({"vars": {"a": [true], "b": 1}, "temperature": 0.5, "model": "m"});
        assert_eq!(hex(&reordered, &[b"No force."]), hex(&settings, &[b"No force."]));
        assert_ne!(hex(&settings, &[b"No force"]), hex(&settings, &[b"No force."]));
        assert_ne!(hex(&settings, &[b"No ", b"force."]), hex(&settings, &[b"No force."]));
    }
}
