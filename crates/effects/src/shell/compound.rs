//! Commands with a body: groups, branches, loops.

use std::rc::Rc;

use super::endless::{constant, is_endless};
use super::syntax::tree::{Kind, List};
use super::walk::{Input, Walker};
use crate::run::CodeFrom;

impl Walker<'_> {
    pub(super) fn compound(&mut self, kind: &Kind) {
        match kind {
            Kind::Simple(_) => {}
            Kind::Subshell(list) => self.in_subshell(|walker| walker.list(list)),
            Kind::Group(list) => self.list(list),
            Kind::If(arms, otherwise) => {
                let mut before = None;
                for (condition, body) in arms {
                    self.as_condition(|walker| walker.list(condition));
                    let start = Rc::clone(before.get_or_insert(Rc::clone(&self.state)));
                    let checkouts = self.checkouts.len();
                    self.perhaps(|walker| walker.apart(|walker| walker.list(body)));
                    self.checkouts_uncertain(checkouts);
                    self.merge(&start);
                }
                self.in_branch(|walker| walker.apart(|walker| walker.list(otherwise)));
            }
            Kind::While { until, condition, body } => {
                let endless = constant(condition) == Some(!until);
                self.looped(endless, |walker| {
                    walker.in_loop(&[condition, body], |walker| {
                        walker.as_condition(|walker| walker.list(condition));
                        walker.apart(|walker| walker.list(body));
                    });
                });
            }
            Kind::For { name, words, body } => {
                self.looped(false, |walker| walker.for_loop(name, words.as_deref(), body));
            }
            Kind::ForArithmetic(head, body) => {
                self.arithmetic(head);
                self.looped(is_endless(head), |walker| {
                    walker.in_loop(&[body], |walker| walker.apart(|walker| walker.list(body)));
                });
            }
            Kind::Case(subject, arms) => {
                self.commands_in(subject);
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.commands_in(pattern);
                    }
                    self.in_branch(|walker| walker.apart(|walker| walker.list(body)));
                }
            }
            Kind::Function(name, body) => {
                let state = self.change();
                state.functions.insert(name.clone(), Rc::clone(body));
                state.uncertain_functions.remove(name);
            }
            Kind::Test(words) => self.tested_words(words),
            Kind::Arithmetic(word) => self.arithmetic(word),
            Kind::Coprocess(command) => self.forked(true, |walker| {
                walker.in_subshell(|walker| {
                    walker.input = Input::From(CodeFrom::Stdin, "the shell".to_owned(), None);
                    walker.apart(|walker| walker.command(command));
                });
            }),
        }
    }

    /// Goes through a body that may run any number of times: what it changes is not known in it.
    pub(super) fn in_loop(&mut self, lists: &[&List], go: impl FnOnce(&mut Self)) {
        self.forget_changes(lists);
        self.in_branch(go);
    }
}
