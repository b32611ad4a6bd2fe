//! Promise: a hook under the name of another system is invoked where that system would invoke it.

use std::collections::BTreeSet;

use hookgate::envelope::alias::ALIASES;
use hookgate::{Event, FailureClass, HookEngine, Outcome, Role};
use serde_json::json;

use crate::envelopes;
use crate::loading::{engine, evaluate, hook};
use crate::support::Log;

/// The table of DESIGN.md section 2: our name, then those of the systems that we replace.
const NAMES: &str = "
session_start after_session_enter SessionStart
session_resume on_session_resume
session_end SessionEnd
run_failed on_error StopFailure
user_prompt_submit user_followup_submit user_steering_messages_submit before_ingest UserPromptSubmit BeforeAgent
user_prompt_accepted after_ingest
user_input_requested on_user_input
turn_policy turn.pre_policy
turn_start after_turn_enter runtime.turn_pre_context
prompt_context turn.pre_prompt_context
prompt_context_planned turn.post_preflight_prompt_context
tool_selection turn.pre_tool_materialization BeforeToolSelection
prompt_compile turn.pre_prompt_compile
prompt_compiled turn.post_prompt_compile
pre_llm_request before_llm_call before_generate BeforeModel
post_llm_response after_llm_call after_generate AfterModel
pre_tool_use pre_tool_execution tool_guard tool_input_transform before_tool_apply PreToolUse BeforeTool
permission_request before_permission PermissionRequest
permission_decided on_tool_approval_decision after_permission PermissionDenied
post_tool_use post_tool_execution tool_response_transform after_tool_apply PostToolUse AfterTool
post_tool_use_failure post_tool_execution tool_response_transform after_tool_apply PostToolUseFailure AfterTool
post_tool_batch after_tool_batch PostToolBatch
turn_boundary turn_end turn.post_turn
stop before_turn_end Stop AfterAgent
subagent_start SubagentStart
subagent_stop SubagentStop
agent_switch on_agent_switch
pre_compact before_compaction before_compact turn.pre_compaction PreCompact PreCompress
post_compact after_compaction after_compact PostCompact
max_iterations on_max_iterations
notification Notification
config_change ConfigChange
worktree_create WorktreeCreate
runtime_input runtime_input_accepted runtime_input_rejected runtime_input_deduplicated
peer_message peer_ingress_committed peer_egress_committed
interaction_completed
";

/// The aliases with a role or a condition of their own: field, the value that it must have, another.
const ROLES: [(&str, Role); 5] = [
    ("turn_end", Role::Observe),
    ("turn.post_turn", Role::Observe),
    ("tool_guard", Role::Guard),
    ("tool_input_transform", Role::Rewrite),
    ("tool_response_transform", Role::Rewrite),
];
const CONDITIONS: [(&str, &str, &str, &[&str]); 8] = [
    ("user_followup_submit", "source", "followup", &["user", "steering", "continuation"]),
    ("user_steering_messages_submit", "source", "steering", &["user", "followup", "background"]),
    ("PermissionDenied", "approval_decision", "deny", &["allow", "canceled"]),
    ("runtime_input_accepted", "outcome", "accepted", &["rejected", "deduplicated"]),
    ("runtime_input_rejected", "outcome", "rejected", &["accepted", "deduplicated"]),
    ("runtime_input_deduplicated", "outcome", "deduplicated", &["accepted", "rejected"]),
    ("peer_ingress_committed", "direction", "in", &["out"]),
    ("peer_egress_committed", "direction", "out", &["in"]),
];

/// The events of an alias, by the table.
fn events_of(name: &str) -> Vec<&'static str> {
    let rows = NAMES.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row.iter().skip(1).any(|other| *other == name)).map(|row| row[0]).collect()
}

#[test]
fn the_aliases_are_those_of_the_design() {
    let listed: BTreeSet<&str> =
        NAMES.lines().flat_map(|row| row.split_whitespace().skip(1)).collect();
    let known: BTreeSet<&str> = ALIASES.iter().map(|alias| alias.name).collect();
    assert_eq!(listed, known);
    assert!(
        NAMES
            .lines()
            .filter_map(|row| row.split_whitespace().next())
            .all(|name| Event::from_name(name).is_some())
    );
}

#[test]
fn a_hook_under_an_alias_is_invoked_at_the_events_of_the_alias() {
    for alias in ALIASES {
        let log = Log::default();
        let engine = engine(&log, &hook("a", alias.name, ""));
        let table = engine.table();
        let listed: Vec<_> = table.listing().map(|hook| (hook.event, hook.role())).collect();
        let role = ROLES.iter().find(|(name, _)| *name == alias.name).map(|(_, role)| *role);
        let expected: Vec<_> = events_of(alias.name)
            .into_iter()
            .map(|name| {
                (name, role.unwrap_or(Event::from_name(name).unwrap().contract().default_role()))
            })
            .collect();
        assert_eq!(listed, expected, "{}", alias.name);
        let condition = CONDITIONS.iter().find(|(name, ..)| *name == alias.name);
        for fields in envelopes::event_fields() {
            let here = expected.iter().any(|(name, _)| *name == fields.event.name());
            assert_eq!(engine.armed(fields.event), here, "{}", alias.name);
            let Some((_, field, value, others)) = condition.filter(|_| here) else {
                evaluate(&engine, fields.least());
                assert_eq!(log.take().len(), usize::from(here), "{} {}", alias.name, fields.event);
                continue;
            };
            for (value, wanted) in others.iter().map(|other| (other, 0)).chain([(value, 1)]) {
                let mut envelope = fields.least();
                envelope.insert((*field).into(), json!(value));
                evaluate(&engine, envelope);
                assert_eq!(log.take().len(), wanted, "{} {value}", alias.name);
            }
        }
    }
}

/// The role of an alias is one that counts: a guard's patch is refused, a rewriter's applied.
#[test]
fn the_role_of_an_alias_is_enforced() {
    let log = Log::default();
    let patching = |event: &str| hook("a", event, "").replace("\"log\"", "\"patch\"");
    let event_fields = envelopes::event_fields();
    for (name, illegal) in
        [("tool_guard", true), ("tool_input_transform", false), ("tool_response_transform", false)]
    {
        let engine = engine(&log, &patching(name));
        for event in events_of(name) {
            let fields = event_fields.iter().find(|fields| fields.event.name() == event).unwrap();
            let report = evaluate(&engine, fields.least());
            let failure = illegal.then_some(FailureClass::Illegal);
            assert_eq!(report.votes[0].failure, failure, "{name}");
            assert_eq!(report.patched.is_empty(), illegal, "{name}");
            assert_eq!(report.decision == Outcome::Deny, illegal, "{name}");
        }
    }
    // A role that the hook names itself goes first.
    let engine =
        engine(&log, &patching("tool_guard").replace("\"patch\"", "\"patch\"\nrole = \"rewrite\""));
    assert_eq!(evaluate(&engine, envelopes::event_fields()[18].least()).patched, ["tool_input"]);
}

/// The names of a hook at two events are each for their own.
#[test]
fn an_edited_hook_keeps_each_name_for_its_event() {
    let log = Log::default();
    let text = |more: &str| {
        let hook = hook("a", "E", more);
        hook.replace("\"E\"", "[\"pre_tool_use\", \"user_followup_submit\"]")
    };
    let (engine, other) = (engine(&log, &text("")), engine(&log, &text("timeout = \"1s\"")));
    let edited = other.table().specs().next().unwrap().clone();
    engine.edit(|table| _ = table.replace(edited.clone())).unwrap();
    let all = envelopes::event_fields();
    let prompt = all.iter().find(|fields| fields.event == Event::UserPromptSubmit).unwrap();
    for (source, called) in [("user", 0), ("followup", 1)] {
        let mut envelope = prompt.least();
        envelope.insert("source".into(), json!(source));
        evaluate(&engine, envelope);
        assert_eq!(log.take().len(), called, "{source}");
    }
}
