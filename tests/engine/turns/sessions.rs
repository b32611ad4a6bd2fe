//! Promise: what stays in a session is sent again only if it has changed.

use super::*;

#[test]
fn a_session_is_sent_again_only_what_has_changed() {
    let all = |text: &str| {
        [
            ("a", ContextPiece::new("turn", "each turn")),
            ("b", ContextPiece::new("session", text).lifetime(Lifetime::Session)),
            ("c", ContextPiece::new("once", text).lifetime(Lifetime::Once)),
        ]
    };
    let next = |delivered: Delivered, text: &str| {
        let mut turn = Turn::new(usual()).delivered(delivered);
        for (hook, piece) in all(text) {
            turn.absorb(Event::PromptContext, &[Contributed::new(hook, piece)]);
        }
        let ids: Vec<_> =
            turn.context_set().entries.iter().map(|one| one.source.id.clone()).collect();
        (ids, turn.notes().count(), turn.into_delivered())
    };
    let (ids, _, delivered) = next(Delivered::default(), "one");
    assert_eq!(ids, ["turn", "session", "once"]);
    let (ids, notes, delivered) = next(delivered, "one");
    assert_eq!((ids, notes), (vec!["turn".to_owned()], 2));
    let (ids, _, mut delivered) = next(delivered, "two");
    assert_eq!(ids, ["turn", "session"], "what has changed; what was sent once stays away");
    delivered.forget_session();
    assert_eq!(next(delivered, "two").0, ["turn", "session"], "compacted");
}

#[test]
fn a_text_of_the_session_is_sent_again_when_it_becomes_what_it_was() {
    let mut delivered = Delivered::default();
    let mut sent = Vec::new();
    for text in ["on main", "on dev", "on main", "on main"] {
        let mut turn = Turn::new(usual()).delivered(delivered);
        let branch = ContextPiece::new("branch", text).lifetime(Lifetime::Session);
        turn.absorb(Event::PromptContext, &[Contributed::new("git", branch)]);
        sent.push(turn.prompt().text());
        delivered = turn.into_delivered();
    }
    assert_eq!(sent, ["on main", "on dev", "on main", ""]);
}
