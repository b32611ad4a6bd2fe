use http_body_util::Full;

use super::*;

async fn read(text: &'static str, limit: usize) -> (String, BodyEnd) {
    let mut read = Vec::new();
    let end = read_body(&mut Full::from(text), limit, |piece| read.extend_from_slice(piece)).await;
    (String::from_utf8(read).unwrap(), end)
}

#[tokio::test]
async fn the_limit_is_exact() {
    assert!(matches!(read("four", 4).await, (text, BodyEnd::Whole) if text == "four"));
    assert!(matches!(read("four", 3).await, (text, BodyEnd::TooLong) if text == "fou"));
    assert!(matches!(read("four", 0).await, (text, BodyEnd::TooLong) if text.is_empty()));
    assert!(matches!(read("", 0).await, (text, BodyEnd::Whole) if text.is_empty()));
}
