//! Why hookgate is not further ahead, in words: what the profiles of the cases show. Figures come from the run and
//! stand beside these texts, never in them.

use crate::report::Figure;
use crate::standing::Miss;

/// Why cases are where they are.
struct Reason {
    /// The names of the cases; a `*` at the end stands for anything.
    cases: &'static [&'static str],
    /// Whether it is about times with evicted caches; if not, about instructions and times with hot ones.
    cold: bool,
    /// The reason.
    text: &'static str,
}

const REASONS: &[Reason] = &[
    Reason {
        cases: &["noop", "zero_hooks", "unarmed_*"],
        cold: false,
        text: "hookgate looks at one bit of a mask. All the rest is moving the call into the future and out of it \
               again, and dropping an answer that says nothing; the floor hands the call over where it is. So \
               little is left that the bar, a multiple of it, asks for less than the moves alone take.",
    },
    Reason {
        cases: &["no_match_*"],
        cold: false,
        text: "CPEX remembers for each name of a tool which hooks are about it, as hookgate does, so neither takes \
               longer when there are more hooks, and the lead is the same for one hook and for ten thousand. \
               hookgate takes the table under a guard, hashes the name, compares it with the one that it remembers, \
               and moves the call into the future and out of it again.",
    },
    Reason {
        cases: &["fresh_tool_*"],
        cold: false,
        text: "A name that was never seen before is compared with all patterns, which are joined in one index for \
               the names and one for the globs; then the hooks that match are remembered, which allocates.",
    },
    Reason {
        cases: &["silent_*"],
        cold: false,
        text: "hookgate looks whether anybody subscribes, traces or cancels, calls the hook behind a boundary for \
               panics, and looks whether the answer says anything. Nothing is allocated; what is left is dispatch.",
    },
    Reason {
        cases: &["ready_*"],
        cold: false,
        text: "A hook that may wait is a future in a box. The dispatch that waits for it is another one: its state \
               is made and moved into a box, and freed with it. Before the first poll hookgate asks for the runtime \
               and the clock, since the hook has a deadline. The hooks of the peers are futures in boxes as well.",
    },
    Reason {
        cases: &["waits_*"],
        cold: false,
        text: "For hooks that wait there is a timer of tokio, one for all that wait at the same time: it is made, \
               polled, put on the wheel and taken off again, and the runtime is asked for and the clock is read for \
               it. Each hook that waits is kept in a box of its own, and each poll of it stands behind a boundary \
               for panics. The peers pay for timers, too, so they make all systems more alike where one hook waits.",
    },
    Reason {
        cases: &["deny_*", "allow_*"],
        cold: false,
        text: "A hook that speaks has its answer measured and compared with what the event and the role of the hook \
               permit. It becomes a ballot; all ballots are merged into a decision that names the hooks and their \
               reasons. The decision is made in a box, and dropped by the loop. CPEX hands on what the first hook \
               that denies has said, unchecked.",
    },
    Reason {
        cases: &["rewrite_*"],
        cold: false,
        text: "A patch is measured, compared with the fields that the event lets a hook rewrite, and searched for \
               numbers that are not exact. Then it is compared with the arguments that the call has, and they are \
               exchanged. From two hooks on those that saw an earlier version are called again with the final one, \
               so that what runs is what was evaluated: with ten hooks that rewrite, nine are called twice. The \
               others take the arguments of each hook as they are.",
    },
    Reason {
        cases: &["typed_*"],
        cold: false,
        text: "The hook looks at one argument in place, and nothing is made for it. Where the calls are made before \
               the time that counts they come from memory, and the first look at each of them waits for it; the \
               floor waits as well. This makes all systems more alike the larger the calls are.",
    },
    Reason {
        cases: &["json_*"],
        cold: false,
        text: "Nearly all of it is going through the arguments, in serde_json for every system and for the floor, and \
               writing each key and each text. hookgate compares many bytes of a text at once, which gains the more \
               the longer the texts are, and little where they have a few letters. It also writes a header (the \
               step, the session, the turn, the event) with a new id for the step; CPEX writes none. With one hook \
               nothing can be shared; with ten hooks hookgate writes once.",
    },
    Reason {
        cases: &["value_1_*"],
        cold: false,
        text: "Nearly all of it is serde_json, which copies each string and each map of the arguments for every \
               system and for the floor. hookgate adds the fields of a header, with a new id for the step; CPEX \
               makes the value of two fields. With one hook nothing can be shared.",
    },
    Reason {
        cases: &["value_10_*"],
        cold: false,
        text: "The value is made once for ten hooks. What is left beside it is the ten lookups, which the floor has \
               as well.",
    },
    Reason {
        cases: &["swap_*", "first_call_*", "replace_*"],
        cold: false,
        text: "defect puts each hook into a list, with its name and its pattern as they are, and Meerkat does the \
               same; neither checks any of it, and defect compiles each glob at each call that it compares with it. \
               hookgate parses the patterns when the table is built, checks that no id is there twice, checks each \
               hook against the contract of its event, resolves its posture and its deadline, orders the hooks, and \
               joins the patterns into one index. A mistake is an error before the table is in force. Much of this \
               is small allocations for each hook, all of which are freed again when the table is dropped. CPEX \
               checks and copies as well.",
    },
    Reason {
        cases: &["noop", "zero_hooks", "unarmed_*", "no_match_*", "silent_*"],
        cold: true,
        text: "Cold: the table, the bucket, the name that is remembered and the code come from memory, each once, \
               and hookgate does what it does in few instructions: it waits for memory most of the time.",
    },
    Reason {
        cases: &["ready_*", "waits_*"],
        cold: true,
        text: "Cold: the way for hooks that may wait is hookgate's longest: the way for hooks that answer at once \
               is tried first, then the dispatch moves into a box, and groups, guarded calls, deadlines and timers \
               are each code of their own. The peers have one way for all hooks.",
    },
    Reason {
        cases: &["deny_*", "allow_*", "rewrite_*"],
        cold: true,
        text: "Cold: the checks of what a hook says, the patch, the final round, the ballots and the decision are \
               code that a silent call does not reach, and that defect does not have; it runs through the same code \
               for all hooks and all answers.",
    },
    Reason {
        cases: &["typed_*", "json_*", "value_*"],
        cold: true,
        text: "Cold: most of the code is that of JSON and malloc, which all systems and the floor fetch alike; \
               hookgate's part is the envelope with its header.",
    },
];

/// Returns why figures of a case are where they are, each reason once. `None` if no reason is known for one of them.
pub(super) fn of(case: &str, misses: &[Miss<'_>]) -> Option<Vec<&'static str>> {
    let mut texts = Vec::new();
    for miss in misses {
        let cold = miss.figure == Figure::Cold;
        let known = REASONS.iter().find(|reason| reason.cold == cold && reason.is_about(case))?;
        if !texts.contains(&known.text) {
            texts.push(known.text);
        }
    }
    Some(texts)
}

impl Reason {
    fn is_about(&self, case: &str) -> bool {
        self.cases.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(beginning) => case.starts_with(beginning),
            None => case == *pattern,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    fn miss(figure: Figure) -> Miss<'static> {
        Miss { figure, lead: 0.5, peer: "CPEX", bar: 1.0 }
    }

    #[test]
    fn every_case_on_the_list_of_the_last_run_has_a_reason() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/performance/results.json");
        let text = std::fs::read(path).unwrap();
        let report: Report = serde_json::from_slice(&text).unwrap();
        let listed: Vec<_> = report.cases.iter().filter(|case| case.is_listed()).collect();
        assert!(!listed.is_empty(), "nothing is listed, so nothing is tested");
        for case in listed {
            for misses in [case.behind(), case.below()] {
                assert!(of(&case.name, &misses).is_some(), "{}: {misses:?}", case.name);
            }
        }
    }

    #[test]
    fn an_invented_case_has_no_reason() {
        assert_eq!(of("invented_1", &[miss(Figure::Hot)]), None);
        assert_eq!(of("invented_1", &[miss(Figure::Cold)]), None);
    }

    #[test]
    fn a_reason_for_hot_caches_is_none_for_evicted_ones() {
        assert!(of("swap_exact_10", &[miss(Figure::Instructions)]).is_some());
        assert_eq!(of("swap_exact_10", &[miss(Figure::Instructions), miss(Figure::Cold)]), None);
    }

    #[test]
    fn no_reason_holds_a_figure() {
        for reason in REASONS {
            assert!(!reason.text.contains(|one: char| one.is_ascii_digit()), "{}", reason.text);
        }
    }
}
