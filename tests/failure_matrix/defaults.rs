//! Promise: a failure of a hook without `on_failure` counts as the default of its event.

use hookgate::contract::{BuiltHandler, Event, Invocation};
use hookgate::{Failure, FailureClass, Hook, Outcome, Posture, Report, Role};

use crate::{envelopes, support};

/// Where a failed guard or rewriter denies unless it says otherwise: where something can be denied,
/// except where that would keep an agent running for ever.
const DENIES: [Event; 12] = [
    Event::RunStarted,
    Event::RunCompleted,
    Event::UserPromptSubmit,
    Event::PreLlmRequest,
    Event::PostLlmResponse,
    Event::PreToolUse,
    Event::PermissionRequest,
    Event::PostToolUse,
    Event::PostToolUseFailure,
    Event::TurnBoundary,
    Event::ConfigChange,
    Event::WorktreeCreate,
];

const FAILS_OPEN: [Event; 3] = [Event::Stop, Event::SubagentStop, Event::PreCompact];

pub(crate) fn failing(class: FailureClass, event: Event) -> Hook {
    let built =
        BuiltHandler::from_sync(move |_: Invocation<'_>| Err(Failure::new(class, "on purpose")));
    Hook::new("failing", "test", built).event(event)
}

async fn evaluated(hook: Hook, event: Event) -> Report {
    support::engine([hook]).evaluate(&mut envelopes::incoming(event)).await
}

#[tokio::test]
async fn a_failed_hook_that_says_nothing_denies_except_where_that_would_harm() {
    for fields in envelopes::event_fields() {
        let event = fields.event;
        for role in [Role::Guard, Role::Rewrite] {
            if !event.contract().takes_role(role) {
                continue;
            }
            let report = evaluated(failing(FailureClass::Exit, event).role(role), event).await;
            let denies = DENIES.contains(&event);
            let expected = if denies { Outcome::Deny } else { Outcome::Allow };
            assert_eq!(report.decision, expected, "{event} {}", role.name());
            assert_eq!(report.messages.is_empty(), denies, "{event}: {:?}", report.messages);
        }
    }
}

#[tokio::test]
async fn a_failed_observer_decides_nothing_and_is_named() {
    for fields in envelopes::event_fields() {
        let event = fields.event;
        let report = evaluated(failing(FailureClass::Exit, event).role(Role::Observe), event).await;
        assert_eq!(report.decision, Outcome::Allow, "{event}");
        assert_eq!(report.messages, ["the observer `failing` failed (exit)"], "{event}");
        assert_eq!(report.votes.first().map(|vote| vote.failure), Some(Some(FailureClass::Exit)));
    }
}

#[tokio::test]
async fn where_failures_are_let_through_a_posture_still_counts() {
    for event in FAILS_OPEN {
        let hook = failing(FailureClass::Exit, event).on_failure(Posture::Deny);
        let report = evaluated(hook, event).await;
        assert_eq!((report.decision, report.by.len()), (Outcome::Deny, 1), "{event}");
    }
}

#[tokio::test]
async fn oversize_follows_only_its_own_key() {
    // Also where another failure lets an agent stop: here the agent could make it happen.
    for event in DENIES.into_iter().chain(FAILS_OPEN) {
        let hook = || failing(FailureClass::Oversize, event).on_failure(Posture::Allow);
        assert_eq!(evaluated(hook(), event).await.decision, Outcome::Deny, "{event}");
        let allowed = hook().on_failure_of(FailureClass::Oversize, Posture::Allow);
        assert_eq!(evaluated(allowed, event).await.decision, Outcome::Allow, "{event}");
        let other = hook().on_failure_of(FailureClass::Timeout, Posture::Allow);
        assert_eq!(evaluated(other, event).await.decision, Outcome::Deny, "{event}");
    }
}
