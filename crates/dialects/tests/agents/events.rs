//! The tables of events.

use hookgate_contract::dialect::HostEffect;
use hookgate_contract::{Event, is_custom_name};
use hookgate_dialects::{IN_PROCESS, of_agents, of_systems};

use crate::samples::dialects;

#[test]
fn all_dialects_are_returned_sorted_by_their_names() {
    for (all, known) in
        [(of_agents(), &super::samples::AGENTS[..]), (of_systems(), &super::samples::SYSTEMS)]
    {
        let names: Vec<_> = all.iter().map(|dialect| dialect.name()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
        for agent in known {
            assert!(names.contains(agent), "{agent}");
        }
        assert!(IN_PROCESS.iter().all(|(name, _)| !names.contains(name)));
    }
}

#[test]
fn every_event_is_one_of_ours_or_has_a_name_of_its_agent() {
    for dialect in dialects() {
        let mut names: Vec<_> = dialect.events().iter().map(|event| event.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), dialect.events().len(), "{}", dialect.name());
        for event in dialect.events() {
            let own = format!("x.{}.", dialect.name().replace('-', "_"));
            let known = Event::from_name(event.ours).is_some();
            let is_own = event.ours.starts_with(&own) && is_custom_name(event.ours);
            assert!(known || is_own, "{} {}: {}", dialect.name(), event.name, event.ours);
        }
    }
}

/// Whoever reads the table must learn what a deny means, and why there is none.
#[test]
fn every_event_says_what_a_deny_means_or_why_there_is_none() {
    for dialect in dialects() {
        for event in dialect.events() {
            let denies = event.can(HostEffect::Deny) || event.can(HostEffect::KeepGoing);
            assert_eq!(denies, !event.on_deny.is_empty(), "{} {}", dialect.name(), event.name);
            assert!(event.note.is_empty() || event.note.ends_with('.'), "{}", event.note);
            assert!(!event.on_deny.ends_with('.'), "{}", event.on_deny);
        }
    }
}

/// A gate at which an agent obeys no deny would be a hole that nobody is told of.
#[test]
fn a_gate_without_a_deny_has_a_note() {
    for dialect in dialects() {
        for event in dialect.events() {
            let gate = Event::from_name(event.ours).is_some_and(|e| e.contract().deny());
            let denies = event.can(HostEffect::Deny) || event.can(HostEffect::KeepGoing);
            assert!(!gate || denies || !event.note.is_empty(), "{} {}", dialect.name(), event.name);
        }
    }
}
