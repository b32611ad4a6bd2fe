//! Turns: five phases, each a step with the prompt.

use std::hint::black_box;

use hookgate::contract::payload::{
    Planning, PromptCompile, PromptContext, PromptContextPlanned, ToolSelection, TurnPolicy,
};
use hookgate::turn::Turn;
use hookgate::{Engine, StepContext};

use super::{Loop, engines, now};

/// Builds the steps of a turn and drops them.
pub(super) fn built() -> Loop {
    Box::new(|times| {
        for _ in 0..times {
            black_box(&Turn::default());
            black_box(&TurnPolicy(planning()));
            black_box(&PromptContext(planning()));
            black_box(&PromptContextPlanned(planning()));
            black_box(&ToolSelection(planning()));
            black_box(&PromptCompile(planning()));
        }
    })
}

/// Turns to which no hook contributes.
pub(super) fn unarmed() -> Loop {
    let engine = engines::unarmed();
    Box::new(move |times| {
        for _ in 0..times {
            black_box(&now(turn(&engine)));
        }
    })
}

/// Goes through the phases.
async fn turn(engine: &Engine) -> Turn {
    let context = StepContext::new("session-1").turn(3);
    let mut turn = Turn::default();
    turn.policy(engine, TurnPolicy(planning()), &context).await;
    turn.context(engine, PromptContext(planning()), &context).await;
    turn.planned_context(engine, PromptContextPlanned(planning()), &context).await;
    turn.tools(engine, ToolSelection(planning()), &context).await;
    turn.sections(engine, PromptCompile(planning()), &context).await;
    turn
}

fn planning() -> Planning {
    Planning::new("a drink, please")
}
