//! Attacks on the shipped policies: command lines that are made of ideas, wrappers and ways to write a target,
//! are run in a real bash, and are compared with what the policies say of them.
//!
//! Each line runs in mount, process and network namespaces of its own, on a copy of a small project whose
//! outside it tries to harm; everything else is mounted read-only there. Only an effect that was *seen* counts:
//! a line that did harm and that a policy allows is a hole. `docs/shell.md` lists the lines that are known to
//! be allowed; each of them is run as well, so that the list cannot be longer than it must be.
//!
//! `HOOKGATE_ATTACKS` says how many lines are tried (300 if nobody asks for more), `HOOKGATE_ATTACK_SEED` with
//! which random numbers. It needs root; where namespaces are not allowed the tests are ignored, and fail in CI.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

mod benign;
mod generator;
mod goal;
mod ideas;
mod judge;
mod sandbox;
mod ways;

use std::collections::BTreeMap;

use generator::{Attack, attacks};
use goal::Goal;
use judge::{Judge, Policy};
use sandbox::Range;

/// How many lines are tried if nobody asks for more.
const LINES: usize = 300;

fn number(variable: &str, otherwise: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().expect("a number"))
}

/// An attack whose effect was seen, and the policies that allow it.
struct Hole {
    attack: Attack,
    policies: Vec<Policy>,
}

#[test]
fn what_does_harm_is_not_allowed() {
    if !sandbox::entered("what_does_harm_is_not_allowed") {
        return;
    }
    let policies = judge::sources();
    let limits = judge::known_limits();
    let judges: Vec<Judge> =
        policies.iter().map(|(policy, text)| Judge::new(*policy, text)).collect();
    let range = Range::new();
    let seed = number("HOOKGATE_ATTACK_SEED", 1);
    let lines = attacks(number("HOOKGATE_ATTACKS", LINES), seed as u64);
    let seen = range.run(&lines);

    let mut ideas: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut holes = Vec::new();
    let mut harmful = Vec::new();
    for (attack, seen) in lines.into_iter().zip(seen) {
        let (tried, worked) = ideas.entry(attack.idea).or_default();
        *tried += 1;
        if !seen {
            continue;
        }
        *worked += 1;
        let allowing = judges.iter().filter(|judge| judge.promises(attack.goal));
        let allowing = allowing.filter(|judge| judge.allows(&attack.line));
        let policies: Vec<Policy> = allowing.map(|judge| judge.policy).collect();
        if !policies.is_empty() {
            holes.push(Hole { attack: attack.clone(), policies });
        }
        harmful.push(attack);
    }
    let tried: usize = ideas.values().map(|(tried, _)| tried).sum();
    println!("seed {seed}: {} of {tried} lines did harm, {} allowed", harmful.len(), holes.len());
    let idle: Vec<_> = ideas.iter().filter(|(_, (_, worked))| *worked == 0).collect();
    println!("ideas without effect: {idle:?}");
    for hole in &holes {
        println!("{:?} {:?} allowed: {:?}", hole.policies, hole.attack.goal, hole.attack.line);
    }

    // The control: without its rules a policy has holes.
    for (policy, text) in &policies {
        let emptied = Judge::new(*policy, &judge::without_rules(text));
        let promised = harmful.iter().filter(|attack| emptied.promises(attack.goal));
        let found = promised.clone().filter(|attack| emptied.allows(&attack.line)).count();
        println!("{policy:?} without its rules allows {found} of {}", promised.clone().count());
        assert!(found * 2 > promised.count(), "{policy:?}: nothing is found without its rules");
    }

    // What is documented as a limit does harm and is allowed.
    let of_limits: Vec<Attack> = limits.iter().map(Attack::of_limit).collect();
    let seen = range.run(&of_limits);
    let stale: Vec<&String> = of_limits
        .iter()
        .zip(seen)
        .filter(|(attack, seen)| !seen || !judges[0].allows(&attack.line))
        .map(|(attack, _)| &attack.line)
        .collect();

    // Lines of the same kind that do no harm are allowed.
    let mut alarms = Vec::new();
    for line in benign::LINES {
        let harmless = range.harm(line);
        assert!(harmless.is_empty(), "`{line}` does harm: {harmless:?}");
        let stopped = judges.iter().filter(|judge| !judge.allows(line)).map(|judge| judge.policy);
        alarms.extend(stopped.map(|policy| (policy, *line)));
    }

    assert!(harmful.len() * 2 > tried, "only {} of {tried} lines do anything", harmful.len());
    assert!(holes.is_empty(), "{} lines that do harm are allowed", holes.len());
    assert!(stale.is_empty(), "docs/shell.md calls these limits, and they are none: {stale:#?}");
    assert!(alarms.is_empty(), "these do no harm and are stopped: {alarms:#?}");
}

/// Each goal is reached by its plainest line, and no goal by one that does nothing: what is seen is real.
#[test]
fn the_range_sees_what_is_done() {
    if !sandbox::entered("the_range_sees_what_is_done") {
        return;
    }
    let range = Range::new();
    assert_eq!(range.harm("true"), []);
    for (goal, line) in Goal::PLAINEST {
        assert!(range.harm(line).contains(&goal), "{goal:?} is not seen after `{line}`");
    }
}
