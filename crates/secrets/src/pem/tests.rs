use super::*;

fn pieces(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    find(text, &mut |range| {
        all.push(text.get(range).unwrap());
        true
    });
    all
}

#[test]
fn a_key_is_found_whole_without_its_end_and_without_its_beginning() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    let begin = "-----BEGIN RSA PRIVATE KEY-----";
    let end = "-----END RSA PRIVATE KEY-----";
    let whole = format!("{begin}\n{line}\n{line}\n{end}");
    assert_eq!(pieces(&format!("a\n{whole}\nb\n{whole}")), [whole.as_str(), whole.as_str()]);
    let open = format!("{begin}\n{line}\n{line}\nAb3=");
    assert_eq!(pieces(&format!("{open}\n\nand then, more")), [open.as_str()]);
    let tail = format!("{line}\n{line}\n{end}");
    assert_eq!(pieces(&format!("cut off: \n{tail} b")), [tail.as_str()]);
    let escaped = format!("{line}\\n{line}\\n{end}");
    assert_eq!(pieces(&format!("cut off: \\n{escaped}\\n")), [escaped.as_str()]);
    for text in [begin, end, "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0B", "PRIVATE KEY"]
    {
        assert!(pieces(text).is_empty(), "{text}");
    }
}
