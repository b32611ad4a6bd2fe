//! Promise: heads go to services that take logs, without a record that waits for them, and one that does not get there
//! is told.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookgate_store::{Head, HeadPlace, HeadSender, Journal, JournalSettings, StoreError};

use crate::support::{LONG, Place, dispatch, engine};

const URL: &str = "http://collector.example/v1/logs";

/// A sender that waits for a word before each head.
#[derive(Debug)]
struct Held {
    words: Mutex<Receiver<io::Result<()>>>,
    sent: Arc<Mutex<Vec<(String, Head)>>>,
}

impl HeadSender for Held {
    fn send(&self, url: &str, head: &Head) -> io::Result<()> {
        self.words.lock().unwrap().recv().unwrap_or(Ok(()))?;
        self.sent.lock().unwrap().push((url.to_owned(), head.clone()));
        Ok(())
    }
}

type Sent = Arc<Mutex<Vec<(String, Head)>>>;

fn held() -> (Held, Sender<io::Result<()>>, Sent) {
    let (sender, words) = channel();
    let sent = Sent::default();
    (Held { words: Mutex::new(words), sent: Arc::clone(&sent) }, sender, sent)
}

fn to_collector(place: &Place) -> JournalSettings {
    let mut settings = place.required();
    settings.heads = vec![HeadPlace::Otlp(URL.to_owned())];
    settings
}

#[tokio::test]
async fn no_record_waits_for_a_service_and_the_last_head_gets_there() {
    let place = Place::new();
    let (sender, words, sent) = held();
    let journal = Journal::open_sending(to_collector(&place), sender).unwrap();
    let engine = engine(&journal);
    for id in ["1", "2", "3", "4", "5"] {
        // Each is on the disk before it goes on; the service has not even the first head.
        assert!(dispatch(&engine, "s", id, "ls").await);
    }
    assert!(sent.lock().unwrap().is_empty());
    assert_eq!(place.steps().len(), 5);
    let late = journal.flush(Duration::from_millis(50)).unwrap_err();
    assert!(late.to_string().contains("was not sent in time"), "{late}");
    drop(words);
    journal.flush(LONG).unwrap();
    let sent = std::mem::take(&mut *sent.lock().unwrap());
    assert!(sent.len() < 5, "those in between are left out: {sent:?}");
    let (url, last) = sent.last().unwrap();
    assert_eq!((url.as_str(), last.seq), (URL, 5));
    assert!(place.reader().verify(std::slice::from_ref(last), None).unwrap().is_whole());
}

#[tokio::test]
async fn a_head_that_a_service_does_not_take_is_told_until_it_takes_one() {
    let place = Place::new();
    let (sender, words, sent) = held();
    let journal = Journal::open_sending(to_collector(&place), sender).unwrap();
    let engine = engine(&journal);
    words.send(Err(io::Error::other("it is full"))).unwrap();
    assert!(dispatch(&engine, "s", "1", "ls").await, "the record is on the disk");
    let error = journal.flush(LONG).unwrap_err().to_string();
    assert!(error.contains(URL) && error.contains("it is full"), "{error}");
    assert!(journal.status().problem.unwrap().contains("it is full"));
    words.send(Ok(())).unwrap();
    assert!(dispatch(&engine, "s", "2", "ls").await);
    journal.flush(LONG).unwrap();
    assert_eq!(sent.lock().unwrap().last().unwrap().1.seq, 2);
}

#[tokio::test]
async fn the_end_of_a_journal_sends_the_last_head() {
    let place = Place::new();
    let (sender, words, sent) = held();
    let journal = Journal::open_sending(to_collector(&place), sender).unwrap();
    let engine = engine(&journal);
    assert!(dispatch(&engine, "s", "1", "ls").await);
    words.send(Ok(())).unwrap();
    drop((engine, journal));
    assert_eq!(sent.lock().unwrap().last().unwrap().1.seq, 1);
}

#[test]
fn a_service_that_nothing_sends_to_is_refused() {
    let place = Place::new();
    let refused = Journal::open(to_collector(&place)).unwrap_err();
    assert!(
        matches!(refused, StoreError::Heads(_)) && refused.to_string().contains(URL),
        "{refused}"
    );
}
