//! The handler.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::BuildContext;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_contract::{
    AsyncHandler, BuiltHandler, Contract, Failure, FailureClass, Invocation, Reply, ReplyFuture,
    Role, Verdict, VerdictDecision,
};

use crate::cache::{Answers, Key};
use crate::case::{self, Case};
use crate::live::Live;
use crate::model::Format;
use crate::outcome::{Outcome, Took};
use crate::recipe::{First, Recipe};
use crate::shape::{Finding, Respond};
use crate::shared::Shared;
use crate::shown;
use crate::watch::Watch;

/// Makes the factory of the kind `prompt`. All judges that it builds share their state, so a
/// registry needs one of its own.
pub fn factory(
    shared: Arc<Shared>,
) -> impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static {
    move |settings, surroundings| {
        let judge = Judge::build(settings, surroundings, Arc::clone(&shared))?;
        let recipe = &judge.core.recipe;
        let identity = format!("{} {}", crate::nonce::hex(&recipe.definition), recipe.output);
        let respond = recipe.respond.clone();
        let live = Live::new(&judge.core);
        let mut built = BuiltHandler::from_async(judge).identity(identity).probe(live);
        built.sources = rule_files(settings, surroundings.base);
        Some(match respond {
            Respond::Decision => built.supports(takes_decision),
            Respond::Context => built.supports(takes_context),
            Respond::Rewrite => built.role(Role::Rewrite).supports(takes_patch),
            Respond::Own(..) => built,
        })
    }
}

/// The files with the rules, of the judge and of the one that it asks first.
fn rule_files(settings: &mut Settings<'_>, base: &Path) -> Vec<PathBuf> {
    let own = settings.text("prompt_file");
    let first = settings.node("first").filter(|node| matches!(node.value, NodeValue::Table(_)));
    let first = first.and_then(|first| Settings::new(first).text("prompt_file"));
    own.into_iter().chain(first).map(|file| base.join(file)).collect()
}

fn takes_decision(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Deny) || contract.allows(VerdictDecision::Ask) {
        Ok(())
    } else {
        Err("nothing can be denied or asked here: a judge could only answer with `respond = \
             \"context\"`, where context is taken")
    }
}

fn takes_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context {
        Ok(())
    } else {
        Err("no context can be added here, and `respond` is \"context\"")
    }
}

fn takes_patch(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch.is_empty() {
        Err("nothing can be rewritten here, and `respond` is \"rewrite\"")
    } else {
        Ok(())
    }
}

/// A handler that asks a model.
pub struct Judge {
    core: Arc<Core>,
}

/// A judge, as those see it who ask for it.
pub(crate) struct Core {
    pub(crate) recipe: Recipe,
    pub(crate) shared: Arc<Shared>,
    /// None: each step is asked about anew.
    pub(crate) answers: Option<Arc<Answers>>,
    /// The judge that is asked first, if it stands in the settings of this one.
    pub(crate) own_first: Option<Arc<Self>>,
}

impl Core {
    fn new(recipe: Recipe, shared: &Arc<Shared>) -> Arc<Self> {
        let answers = recipe.keep.map(|keep| shared.answers(recipe.definition, keep));
        let own_first = match &recipe.first {
            Some(First::Own(first)) => Some(Self::new((**first).clone(), shared)),
            _ => None,
        };
        Arc::new(Self { recipe, shared: Arc::clone(shared), answers, own_first })
    }

    /// The judge that is asked first. One that is not there clears nothing.
    fn first(self: &Arc<Self>) -> Option<Arc<Self>> {
        let first = match &self.recipe.first {
            Some(First::Named(name)) => self.shared.judge(name),
            Some(First::Own(_)) => self.own_first.clone(),
            None => None,
        };
        // Who names himself has nobody to ask first.
        first.filter(|first| !Arc::ptr_eq(first, self))
    }

    fn look(&self, invocation: &Invocation<'_>) -> Result<(Vec<u8>, Key), Failure> {
        let body = shown::body(invocation, self.recipe.show.as_deref())?;
        if self.is_cut(&body) && !self.recipe.judge_cut {
            return Err(shown::too_long(body.len(), self.recipe.show_limit));
        }
        let key = case::key(invocation.payload().event_name(), &body);
        Ok((body, key))
    }

    /// Whether a judge would see a part only.
    const fn is_cut(&self, body: &[u8]) -> bool {
        body.len() > self.recipe.show_limit
    }

    fn known(&self, key: &Key) -> Option<Arc<Outcome>> {
        self.answers.as_ref()?.known(key)
    }

    /// Asks the model, unless it is known what it says. Also whether this cost nothing.
    async fn opinion(
        self: &Arc<Self>,
        invocation: &Invocation<'_>,
        body: Vec<u8>,
        key: Key,
        watch: &Watch<'_>,
    ) -> (Arc<Outcome>, bool) {
        let case = Arc::new(Case::new(invocation, body));
        let (flight, heard, first) = self.shared.desk.join(self, &case, key);
        // INVARIANT: nothing is waited for before the other guards of this step have been asked;
        // see `Desk::join`.
        tokio::task::yield_now().await;
        let outcome = watch.wait(flight, &heard).await;
        let broke = |outcome: &Outcome| {
            outcome.finding.as_ref().is_err_and(|failure| failure.class == FailureClass::Budget)
        };
        if first || !broke(&outcome) {
            return (outcome, !first);
        }
        // Another session could not pay for it; this one may.
        let (flight, heard, first) = self.shared.desk.join(self, &case, key);
        (watch.wait(flight, &heard).await, !first)
    }
}

impl Judge {
    /// Builds a judge from its settings; where it cannot, it has noted in the settings why.
    pub fn build(
        settings: &mut Settings<'_>,
        surroundings: &BuildContext<'_>,
        shared: Arc<Shared>,
    ) -> Option<Self> {
        let recipe = Recipe::read(settings, surroundings, &shared, None)?;
        if let Err(problem) = shared.client() {
            settings.invalid("model", problem);
            return None;
        }
        let core = Core::new(recipe, &shared);
        if !surroundings.hook.is_empty() {
            shared.introduce(surroundings.hook, &core);
        }
        Some(Self { core })
    }

    /// How the server of the model is held to the form of the answer: `schema`, `json_object` or
    /// `text`. Where the settings leave it open, what has been found out so far.
    #[must_use]
    pub fn response(&self) -> &'static str {
        let recipe = &self.core.recipe;
        let known = || recipe.targets.first().map(|target| self.core.shared.format(target));
        recipe.format.or_else(known).unwrap_or(Format::Schema).name()
    }

    /// What the handler does at a step, with the figures.
    ///
    /// # Cancel safety
    /// A dropped future asks nothing any more, unless somebody else waits for the same answer.
    pub async fn ask(&self, invocation: Invocation<'_>) -> Judged {
        let core = &self.core;
        let (body, key) = match core.look(&invocation) {
            Ok(look) => look,
            Err(failure) => return Judged::of(&Outcome::failed(failure), core, true),
        };
        if let Some(known) = core.known(&key) {
            return Judged::of(&known, core, true);
        }
        if tokio::runtime::Handle::try_current().is_err() {
            let detail = "the dispatch runs outside a tokio runtime, so no server can be asked";
            let failure = Failure::new(FailureClass::Spawn, detail);
            return Judged::of(&Outcome::failed(failure), core, true);
        }
        let mut before = Took::default();
        let mut watch = Watch::new(invocation);
        if let Some(first) = core.first()
            && let Ok((body, key)) = first.look(&invocation)
            // It clears nothing that it has not seen whole.
            && !first.is_cut(&body)
        {
            let (outcome, cached) = match first.known(&key) {
                Some(known) => (known, true),
                None => first.opinion(&invocation, body, key, &watch).await,
            };
            if matches!(outcome.finding, Ok(Finding::Allow(_))) {
                return Judged::of(&outcome, core, cached);
            }
            // Its deny stands until the one has spoken who may overrule it.
            watch.salvaged = match &outcome.finding {
                Ok(finding) => finding.word(),
                Err(failure) => failure.salvaged,
            };
            if !cached {
                before = outcome.took;
            }
        }
        let (outcome, cached) = core.opinion(&invocation, body, key, &watch).await;
        let mut judged = Judged::of(&outcome, core, cached);
        if let Err(failure) = &mut judged.reply {
            failure.salvaged = failure.salvaged.max(watch.salvaged);
        }
        judged.add(before);
        judged
    }
}

impl AsyncHandler for Judge {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move { self.ask(invocation).await.reply })
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

/// What a judge came to, and what it took.
///
/// A judge that decides and sees nothing wrong has a reply that says nothing, unless its settings
/// have `speak_allow`.
///
/// The figures of all answers add up to what was spent: an answer that was known, or that another
/// step had asked for, cost nothing; of rules that were asked together each has its part, and the
/// first has the request.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The answer of the handler.
    pub reply: Reply,
    /// The model that answered; empty where none did.
    pub model: String,
    /// Whether this asked nothing of a model.
    pub cached: bool,
    /// How many requests were made for it.
    pub calls: u32,
    /// How many tokens went in.
    pub prompt_tokens: u64,
    /// How many tokens came out.
    pub completion_tokens: u64,
    /// What it cost, by the price table of the settings.
    pub cost: f64,
    /// A hash of the question, before the nonce; empty where none was put.
    pub prompt_hash: String,
}

impl Judged {
    fn of(outcome: &Outcome, core: &Core, cached: bool) -> Self {
        let took = if cached { Took::default() } else { outcome.took };
        let reply = match outcome.finding.clone() {
            Ok(finding) => {
                let known = if cached { ", known" } else { "" };
                let mut note = format!("{}, prompt {}{known}", outcome.model, outcome.prompt_hash);
                outcome.tell(&mut note);
                Ok(verdict(finding, &core.recipe).note(note))
            }
            Err(mut failure) => {
                outcome.tell(failure.detail.to_mut());
                Err(failure)
            }
        };
        Self {
            reply,
            model: outcome.model.to_string(),
            cached,
            calls: took.calls,
            prompt_tokens: took.prompt_tokens,
            completion_tokens: took.completion_tokens,
            cost: took.cost,
            prompt_hash: outcome.prompt_hash.to_string(),
        }
    }

    fn add(&mut self, took: Took) {
        self.calls = self.calls.saturating_add(took.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(took.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(took.completion_tokens);
        self.cost += took.cost;
    }
}

fn verdict(finding: Finding, recipe: &Recipe) -> Verdict {
    match finding {
        // That a judge sees nothing wrong is no approval, unless its writer says so.
        Finding::Allow(reason) if recipe.speak_allow => {
            let mut verdict = Verdict::allow();
            if let Some(parts) = verdict.parts_mut() {
                parts.reason = Some(reason).filter(|reason| !reason.is_empty());
            }
            verdict
        }
        Finding::Allow(_) => Verdict::none(),
        Finding::Deny(reason) => Verdict::deny(reason),
        Finding::Ask(reason) => Verdict::ask(reason),
        Finding::Context(text) if text.is_empty() => Verdict::none(),
        Finding::Context(text) => Verdict::none().context(text),
        Finding::Patch(fields) => fields
            .into_iter()
            .fold(Verdict::none(), |verdict, (field, value)| verdict.patch(field, value)),
        Finding::Own(verdict) => verdict,
    }
}
