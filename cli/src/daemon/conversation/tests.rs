use std::io::Cursor;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::*;

const SECRET: Secret = Secret([5; BYTES]);
const OTHER: Secret = Secret([6; BYTES]);
const GREETING: &str = "hookgate 1 abc\n";

/// One end of a stream in memory, which notes what it has sent.
struct End {
    sender: Sender<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
    rest: Cursor<Vec<u8>>,
    sent: Vec<u8>,
}

fn ends() -> (End, End) {
    let ((one, theirs), (two, ours)) = (mpsc::channel(), mpsc::channel());
    let end =
        |sender, receiver| End { sender, receiver, rest: Cursor::default(), sent: Vec::new() };
    (end(one, ours), end(two, theirs))
}

impl Read for End {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(bytes)?;
        if read > 0 || bytes.is_empty() {
            return Ok(read);
        }
        let Ok(more) = self.receiver.recv() else { return Ok(0) };
        self.rest = Cursor::new(more);
        self.rest.read(bytes)
    }
}

impl Write for End {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sent.extend(bytes);
        let _ = self.sender.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a stream that ends has carried, for one who only reads.
struct Carried(Cursor<Vec<u8>>);

impl Read for Carried {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Carried {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A conversation that has begun with these random numbers, over a stream that carries these bytes.
fn begun(secret: Option<Secret>, own: u8, carried: &[u8]) -> Conversation<Carried> {
    let seals =
        secret.map(|secret| Seals::greeting(secret, &[own; BYTES], &[2; BYTES], GREETING).0);
    Conversation { stream: Carried(Cursor::new(carried.to_vec())), seals }
}

/// The bytes of a message, as this side of a conversation writes it.
fn written(seals: Option<Seals>, say: impl Fn(&mut Conversation<End>)) -> Vec<u8> {
    let (end, _other) = ends();
    let mut conversation = Conversation { stream: end, seals };
    say(&mut conversation);
    conversation.stream.sent
}

fn seals(own: u8) -> Seals {
    Seals::greeting(SECRET, &[own; BYTES], &[2; BYTES], GREETING).0
}

#[test]
fn both_ends_understand_each_other() {
    for secret in [None, Some(SECRET)] {
        let (call, daemon) = ends();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut daemon = Conversation::greet(daemon, secret, GREETING).unwrap();
                let request: String = daemon.requested().unwrap();
                daemon.reply(&format!("{request}, judged")).unwrap();
            });
            let mut call = Conversation::greeted(call, secret, GREETING).unwrap();
            call.request(&"a step").unwrap();
            assert_eq!(call.replied::<String>().unwrap(), "a step, judged");
        });
    }
}

#[test]
fn who_has_another_secret_is_told_a_random_number_alone() {
    for (theirs, greeting) in [(Some(OTHER), GREETING), (Some(SECRET), "hookgate 1 abd\n")] {
        let (call, daemon) = ends();
        let heard = thread::spawn(move || {
            let mut daemon = Conversation::greet(daemon, theirs, greeting).unwrap();
            let error = daemon.requested::<String>().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "it has heard something");
        });
        let error = Conversation::greeted(call, Some(SECRET), GREETING).err().unwrap();
        assert!(is_forged(&error), "{error}");
        heard.join().unwrap();
    }
    // One who has none, and does not begin as a daemon does.
    let (call, mut other) = ends();
    other.write_all(&[GREETING.as_bytes(), &[0; 2 * BYTES]].concat()).unwrap();
    assert!(is_forged(&Conversation::greeted(call, Some(SECRET), GREETING).err().unwrap()));
}

#[test]
fn a_request_without_the_secret_is_none() {
    let forged = Seals::greeting(OTHER, &[1; BYTES], &[2; BYTES], GREETING).0;
    let forged = written(Some(forged), |call| call.request(&"a step").unwrap());
    let error = begun(Some(SECRET), 1, &forged).requested::<String>().unwrap_err();
    assert!(is_forged(&error), "{error}");
    // The control.
    let true_one = written(Some(seals(1)), |call| call.request(&"a step").unwrap());
    assert_eq!(begun(Some(SECRET), 1, &true_one).requested::<String>().unwrap(), "a step");
}

#[test]
fn what_was_said_in_another_conversation_is_not_believed() {
    let say = |daemon: &mut Conversation<End>| daemon.reply(&"judged").unwrap();
    let reply = written(Some(seals(1)), say);
    assert_eq!(begun(Some(SECRET), 1, &reply).replied::<String>().unwrap(), "judged");
    let error = begun(Some(SECRET), 3, &reply).replied::<String>().unwrap_err();
    assert!(is_forged(&error), "{error}");
    // The same conversation, but another step.
    let after = |step: &'static str| {
        let mut seals = seals(1);
        seals.next(Part::Request, &[format!("\"{step}\"").as_bytes()]);
        seals
    };
    let reply = written(Some(after("ls")), say);
    let replied = |step| {
        let mut call = begun(Some(SECRET), 1, &reply);
        call.request(&step).unwrap();
        call.replied::<String>()
    };
    assert_eq!(replied("ls").unwrap(), "judged");
    assert!(is_forged(&replied("rm").unwrap_err()));
}

#[test]
fn what_a_call_has_said_is_no_reply_to_it() {
    let request = written(Some(seals(1)), |call| call.request(&"a step").unwrap());
    let error = begun(Some(SECRET), 1, &request).replied::<String>().unwrap_err();
    assert!(is_forged(&error), "{error}");
}

#[test]
fn a_part_of_a_reply_or_a_changed_one_is_none() {
    for secret in [None, Some(SECRET)] {
        let whole = written(secret.map(|_| seals(1)), |daemon| daemon.reply(&"judged").unwrap());
        assert_eq!(begun(secret, 1, &whole).replied::<String>().unwrap(), "judged");
        for end in 0..whole.len() {
            assert!(begun(secret, 1, &whole[..end]).replied::<String>().is_err(), "{end}");
        }
        let sealed = if secret.is_some() { 0..whole.len() } else { 0..0 };
        for at in sealed {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(begun(secret, 1, &changed).replied::<String>().is_err(), "{at}");
        }
    }
}

#[test]
fn two_seals_are_the_same_if_every_byte_is() {
    for at in 0..BYTES {
        let mut other = [7; BYTES];
        other[at] ^= 0x80;
        assert!(!is_same(&[7; BYTES], &other), "{at}");
    }
    assert!(is_same(&[7; BYTES], &[7; BYTES]));
}
