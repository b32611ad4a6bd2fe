//! Laws: what hooks contribute to a turn is merged as a naive model merges it, whatever came first.
#![allow(
    clippy::indexing_slicing,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod budgets;

use std::collections::{BTreeMap, BTreeSet};

use hookgate::Event;
use hookgate::contract::contribution::{
    BackgroundJob, ContextPiece, Contribution, Lifetime, PolicySetting, SectionText,
    TextProvenance, TextSource, ToolBundle, Visibility,
};
use hookgate::decision::Contributed;
use hookgate::table::{Budget, ContributionLimits};
use hookgate::turn::{Delivered, LinePart, NoteCode, Turn};
use proptest::prelude::*;

const PHASES: [Event; 2] = [Event::PromptContext, Event::PromptContextPlanned];

/// Limits that bound nothing.
fn unbounded() -> ContributionLimits {
    use hookgate::contract::contribution::ContributionKind as Kind;
    ContributionLimits::new()
        .section(Budget::NONE)
        .kind(Kind::PromptContext, Budget::NONE)
        .kind(Kind::PromptSection, Budget::NONE)
        .slots(["t"])
}

fn turn_of(limits: ContributionLimits, given: &[(Event, Contributed)]) -> Turn {
    let mut turn = Turn::new(limits);
    for (event, one) in given {
        turn.absorb(*event, std::slice::from_ref(one));
    }
    turn
}

fn hook() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("a"), Just("b"), Just("c")]
}

fn slot() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![Just(None), Just(Some("s")), Just(Some("t"))]
}

fn content() -> impl Strategy<Value = String> {
    "(one|two|drei|vier ü)(\n(five|six|\u{20ac}|)){0,3}"
}

fn lifetime() -> impl Strategy<Value = Option<Lifetime>> {
    proptest::option::of(proptest::sample::select(Lifetime::ALL.to_vec()))
}

fn context() -> impl Strategy<Value = Contribution> {
    let visible = proptest::option::of(proptest::sample::select(Visibility::ALL.to_vec()));
    let source = proptest::option::of(proptest::sample::select(TextSource::ALL.to_vec()));
    let bound = proptest::option::of(1_u64..80);
    (
        prop_oneof![Just("x"), Just("y")],
        slot(),
        content(),
        -1_i64..2,
        lifetime(),
        visible,
        source,
        bound,
    )
        .prop_map(|(id, slot, content, priority, lifetime, visible, source, bound)| {
            let mut piece = ContextPiece::new(id, content).priority(priority);
            piece.slot = slot.map(str::to_owned);
            (piece.lifetime, piece.visible, piece.max_chars) = (lifetime, visible, bound);
            piece.provenance = source.map(TextProvenance::new);
            piece.into()
        })
}

fn section() -> impl Strategy<Value = Contribution> {
    let title = proptest::option::of(prop_oneof![Just("One"), Just("Two")]);
    (prop_oneof![Just("x"), Just("y")], slot(), content(), -1_i64..2, lifetime(), title).prop_map(
        |(id, slot, content, priority, lifetime, title)| {
            let mut section = SectionText::new(id, content).priority(priority);
            section.slot = slot.map(str::to_owned);
            (section.lifetime, section.title) = (lifetime, title.map(str::to_owned));
            section.into()
        },
    )
}

fn policy() -> impl Strategy<Value = PolicySetting> {
    (prop_oneof![Just("d"), Just("e")], prop_oneof![Just("k"), Just("l")], 0..3, -1_i64..2)
        .prop_map(|(domain, key, value, priority)| {
            PolicySetting::new(domain, key, value).priority(priority)
        })
}

fn bundle() -> impl Strategy<Value = ToolBundle> {
    let names = proptest::collection::vec(prop_oneof![Just("A"), Just("B"), Just("C")], 0..3);
    (prop_oneof![Just("x"), Just("y")], names, -1_i64..2).prop_map(|(id, names, priority)| {
        ToolBundle::new(id, names.into_iter().map(str::to_owned).collect()).priority(priority)
    })
}

fn job() -> impl Strategy<Value = BackgroundJob> {
    let key = proptest::option::of(prop_oneof![Just("k"), Just("l")]);
    (prop_oneof![Just("x"), Just("y")], 0..2, key, -1_i64..2).prop_map(
        |(id, payload, key, priority)| {
            let mut job = BackgroundJob::new(id).payload(payload).priority(priority);
            job.idempotency_key = key.map(str::to_owned);
            job
        },
    )
}

/// Contributions of all kinds, each with its hook and event.
fn given() -> impl Strategy<Value = Vec<(Event, Contributed)>> {
    let any = prop_oneof![
        context(),
        section(),
        policy().prop_map(Contribution::from),
        bundle().prop_map(Contribution::from),
        job().prop_map(Contribution::from),
    ];
    let one = (hook(), any, 0..2_usize).prop_map(|(hook, contribution, phase)| {
        let event = match &contribution {
            Contribution::PromptContext(_) => PHASES[phase],
            Contribution::PromptSection(_) => Event::PromptCompile,
            Contribution::ToolBundle(_) => Event::ToolSelection,
            _ => Event::TurnPolicy,
        };
        (event, Contributed::new(hook, contribution))
    });
    proptest::collection::vec(one, 0..12)
}

fn hooked<T: Into<Contribution> + std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<(&'static str, T)>> {
    proptest::collection::vec((hook(), one), 0..10)
}

proptest! {
    #[test]
    fn no_set_hangs_on_what_came_first(
        (given, shuffled) in given().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        bytes in 0_u64..200,
    ) {
        for limits in [unbounded(), unbounded().turn(Budget::NONE.bytes(bytes)).hook("a", Budget::NONE.items(1))] {
            let (one, other) = (turn_of(limits.clone(), &given), turn_of(limits, &shuffled));
            prop_assert_eq!(one.policy_set(), other.policy_set());
            prop_assert_eq!(one.context_set(), other.context_set());
            prop_assert_eq!(one.section_set(), other.section_set());
            prop_assert_eq!(one.tool_set(), other.tool_set());
            prop_assert_eq!(&one.others().jobs, &other.others().jobs);
            prop_assert_eq!(one.prompt(), other.prompt());
        }
    }

    /// Of each key the setting with the least (priority, hook, value as its digest orders it); each other value is told.
    #[test]
    fn a_policy_has_one_value_for_each_key(all in hooked(policy())) {
        let given: Vec<_> = all.iter()
            .map(|(hook, one)| (Event::TurnPolicy, Contributed::new(*hook, one.clone()))).collect();
        let turn = turn_of(unbounded(), &given);
        let mut keys: BTreeMap<_, Vec<(i64, &str, i64)>> = BTreeMap::new();
        for (hook, one) in &all {
            let value = (one.priority, *hook, one.value.as_i64().unwrap());
            keys.entry((one.domain.clone(), one.key.clone())).or_default().push(value);
        }
        prop_assert_eq!(turn.policy_set().entries.len(), keys.len());
        for ((domain, key), values) in &keys {
            let first = values.iter().map(|(priority, hook, _)| (*priority, *hook)).min().unwrap();
            let winner = turn.policy_set().get(domain, key).unwrap().as_i64().unwrap();
            let is_of_first = |(priority, hook, value): &&(i64, &str, i64)| {
                (*priority, *hook) == first && *value == winner
            };
            prop_assert!(values.iter().any(|value| is_of_first(&value)), "{domain} {key}");
            let notes = turn.policy_set().notes.iter();
            let of_key = notes.filter(|note| note.slot == *domain && note.about.id == *key);
            let told = of_key.filter(|note| matches!(note.code, NoteCode::Conflict | NoteCode::Overridden));
            let (conflicts, overridden): (Vec<_>, Vec<_>) = told.partition(|note| note.code == NoteCode::Conflict);
            let others = || values.iter().filter(|(_, _, value)| *value != winner);
            prop_assert_eq!(conflicts.len(), others().filter(|(priority, ..)| *priority == first.0).count());
            prop_assert_eq!(overridden.len(), others().filter(|(priority, ..)| *priority > first.0).count());
            for note in conflicts.iter().chain(&overridden) {
                prop_assert_eq!(note.winner.as_ref().unwrap().hook.as_str(), first.1);
            }
        }
    }

    /// Each context that its hook has given last is there, or another one of its slot and lifetime says the same.
    #[test]
    fn what_says_the_same_in_one_place_stands_once(all in hooked(context())) {
        let all: Vec<_> = all.into_iter().map(|(hook, mut one)| {
            if let Contribution::PromptContext(piece) = &mut one { piece.max_chars = None; }
            (hook, one)
        }).collect();
        let given: Vec<_> = all.iter()
            .map(|(hook, one)| (Event::PromptContext, Contributed::new(*hook, one.clone()))).collect();
        let turn = turn_of(unbounded(), &given);
        let entries = &turn.context_set().entries;
        let keys: BTreeSet<_> = entries.iter().map(|entry| {
            let source = &entry.source;
            (source.slot.clone(), source.lifetime, source.digest.clone())
        }).collect();
        prop_assert_eq!(keys.len(), entries.len(), "the same stands once");
        let givers: BTreeSet<_> = given.iter().map(|(_, one)| {
            let Contribution::PromptContext(piece) = &one.contribution else { unreachable!() };
            (one.hook.to_string(), piece.id.clone())
        }).collect();
        let named: BTreeSet<_> = entries.iter().flat_map(|entry| {
            let also = entry.source.also.iter().map(|giver| (giver.hook.to_string(), giver.id.clone()));
            also.chain([(entry.source.hook.to_string(), entry.source.id.clone())])
        }).collect();
        prop_assert_eq!(named, givers, "every hook is named once for each of its ids");
        for entry in entries {
            let given = all.iter().any(|(hook, one)| {
                let Contribution::PromptContext(piece) = one else { unreachable!() };
                entry.source.hook == **hook && piece.id == entry.source.id
                    && entry.text.contains(piece.content.trim_end())
            });
            prop_assert!(given, "{entry:?}");
        }
    }

    #[test]
    fn sets_are_in_the_order_of_slot_priority_hook_and_id(given in given()) {
        let turn = turn_of(unbounded(), &given);
        let place = |source: &hookgate::turn::Source| {
            (source.slot != "t", source.slot.clone(), source.priority, source.hook.clone(), source.id.clone())
        };
        prop_assert!(turn.context_set().entries.iter().map(|one| place(&one.source)).is_sorted());
        let sections = &turn.section_set().sections;
        prop_assert!(sections.iter().map(|one| place(&one.fragments[0].source)).is_sorted());
        for section in sections {
            prop_assert!(section.fragments.iter().map(|one| one.source.priority).is_sorted());
            let title = section.fragments.iter().find_map(|one| one.title.clone());
            prop_assert_eq!(&section.title, &title);
            let differ = section.fragments.iter().filter_map(|one| one.title.clone()).filter(|other| Some(other) != title.as_ref());
            let told = turn.section_set().notes.iter()
                .filter(|note| note.about.id == section.section_id && note.message.contains("heading"));
            prop_assert_eq!(told.count(), differ.count());
        }
        prop_assert!(turn.others().jobs.iter().map(|job| job.source.priority).is_sorted());
    }

    #[test]
    fn a_later_phase_takes_the_place_of_an_earlier_one(all in hooked(context()), phases in proptest::collection::vec(0..2_usize, 10)) {
        let given: Vec<_> = all.iter().zip(&phases)
            .map(|((hook, one), phase)| (PHASES[*phase], Contributed::new(*hook, one.clone()))).collect();
        let turn = turn_of(unbounded(), &given);
        for entry in &turn.context_set().entries {
            let same = given.iter().filter(|(_, one)| {
                let Contribution::PromptContext(piece) = &one.contribution else { unreachable!() };
                one.hook == entry.source.hook && piece.id == entry.source.id
            });
            let latest = same.map(|(event, _)| event.index()).max().unwrap();
            prop_assert_eq!(entry.event, if latest == PHASES[0].index() { PHASES[0].name() } else { PHASES[1].name() });
        }
    }

    /// A turn, and the next one of the session in which hooks give the same again.
    #[test]
    fn a_session_gets_again_what_is_of_the_turn_only(given in given()) {
        let first = turn_of(unbounded(), &given);
        let texts = |turn: &Turn| -> Vec<_> {
            let fragments = turn.section_set().sections.iter().flat_map(|one| one.fragments.clone());
            turn.context_set().entries.iter().cloned().chain(fragments).collect()
        };
        let before = texts(&first);
        let delivered: Delivered = {
            let json = serde_json::to_string(&first.into_delivered()).unwrap();
            serde_json::from_str(&json).unwrap()
        };
        let again = |delivered: Delivered| {
            let mut turn = Turn::new(unbounded()).delivered(delivered);
            for (event, one) in &given { turn.absorb(*event, std::slice::from_ref(one)); }
            turn
        };
        let second = texts(&again(delivered.clone()));
        let stays = |lifetime| before.iter().filter(move |one| one.source.lifetime == lifetime);
        let kept = |one: &&hookgate::turn::TextEntry| {
            one.source.lifetime == Lifetime::Turn || one.cut.is_some()
        };
        // A section stands where its first fragment has it, which may be one that is not sent again.
        let mut expected: Vec<_> = before.iter().filter(kept).map(|one| &one.source.digest).collect();
        let mut found: Vec<_> = second.iter().map(|one| &one.source.digest).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
        // Compacted: what was in the conversation is sent again, what is sent once is not.
        let mut compacted = delivered;
        compacted.forget_session();
        let third = texts(&again(compacted));
        let of = |texts: &[hookgate::turn::TextEntry], lifetime| texts.iter().filter(|one| one.source.lifetime == lifetime).count();
        prop_assert_eq!(of(&third, Lifetime::Session), stays(Lifetime::Session).count());
        let once = stays(Lifetime::Once).filter(|one| one.cut.is_some()).count();
        prop_assert_eq!(of(&third, Lifetime::Once), once);
    }

    #[test]
    fn each_line_of_a_prompt_comes_from_a_text_that_has_it(given in given(), bytes in 0_u64..300) {
        let turn = turn_of(unbounded().turn(Budget::NONE.bytes(bytes)), &given);
        let prompt = turn.prompt();
        let lines: Vec<&str> = prompt.lines.iter().map(|line| line.text.as_str()).collect();
        prop_assert_eq!(lines.join("\n"), prompt.text());
        for line in &prompt.lines {
            match (prompt.origin(line), line.part) {
                (None, part) => prop_assert_eq!(part, LinePart::Blank),
                (Some(entry), LinePart::Title) => {
                    let heading = entry.title.as_ref().map(|title| format!("## {title}"));
                    prop_assert_eq!(Some(&line.text), heading.as_ref());
                }
                (Some(entry), part) => {
                    prop_assert!(entry.source.visible.reaches_model());
                    prop_assert!(entry.text.split('\n').any(|one| one == line.text));
                    prop_assert_eq!(part == LinePart::Mark, entry.cut.is_some() && line.text.starts_with("[cut: "));
                }
            }
        }
        // Nothing of a text for the model is missing.
        let of_model: usize = prompt.entries.iter().filter(|one| one.source.visible.reaches_model())
            .map(|one| one.text.split('\n').count()).sum();
        let of_texts = prompt.lines.iter().filter(|line| !matches!(line.part, LinePart::Blank | LinePart::Title));
        prop_assert_eq!(of_texts.count(), of_model);
    }

    /// The tools of the runtime, then those of the first bundle of each id, without what a rewriter took away.
    #[test]
    fn tools_are_those_of_the_runtime_and_of_the_first_bundle_of_each_id(
        all in hooked(bundle()), offered in proptest::sample::subsequence(vec!["A", "B", "Z"], 0..3),
        removed in proptest::sample::subsequence(vec!["C"], 0..=1),
    ) {
        let given: Vec<_> = all.iter()
            .map(|(hook, one)| (Event::ToolSelection, Contributed::new(*hook, one.clone()))).collect();
        let mut turn = turn_of(unbounded(), &given);
        let owned = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        turn.offer_tools(owned(&offered), owned(&removed));
        let mut expected: BTreeSet<&str> = offered.iter().copied().collect();
        for id in ["x", "y"] {
            let same = all.iter().filter(|(_, one)| one.bundle_id == id);
            let Some(first) = same.clone().map(|(hook, one)| (one.priority, *hook)).min() else { continue };
            // Of one hook with the same priority, which of its bundles counts is left to their digests.
            let of_first: Vec<_> = same.filter(|(hook, one)| (one.priority, *hook) == first).collect();
            let entry = turn.tool_set().bundles.iter().find(|one| one.bundle.bundle_id == id).unwrap();
            prop_assert!(of_first.iter().any(|(_, one)| one.tool_names == entry.bundle.tool_names));
            let names = of_first.iter().find(|(_, one)| one.tool_names == entry.bundle.tool_names).unwrap();
            expected.extend(names.1.tool_names.iter().map(String::as_str).filter(|name| !removed.contains(name)));
        }
        let found: Vec<&str> = turn.tool_set().names().collect();
        prop_assert_eq!(&found[..offered.len()], &offered[..]);
        prop_assert_eq!(found.len(), found.iter().collect::<BTreeSet<_>>().len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
    }

    /// Jobs of a key are one job; others are one if they have the same id and payload.
    #[test]
    fn jobs_of_one_key_are_one_job(all in hooked(job())) {
        let given: Vec<_> = all.iter()
            .map(|(hook, one)| (Event::TurnPolicy, Contributed::new(*hook, one.clone()))).collect();
        let turn = turn_of(unbounded(), &given);
        let key = |job: &BackgroundJob| match &job.idempotency_key {
            Some(key) => key.clone(),
            None => format!("{} {}", job.job_id, job.payload),
        };
        let expected: BTreeSet<String> = all.iter().map(|(_, one)| key(one)).collect();
        let found: Vec<String> = turn.others().jobs.iter().map(|one| key(&one.given)).collect();
        prop_assert_eq!(found.len(), expected.len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}
