//! A compiled policy: parsed and analysed when the config is loaded, evaluated at each step.

use std::num::NonZeroU32;
use std::time::Duration;

use hookgate_contract::Failure;
use regorus::utils::limits::ExecutionTimerConfig;
use regorus::{Engine, LimitError, Value};

use crate::error::{PolicyError, evaluation_failure};

/// After how many units of work the clock is read.
const CHECK_INTERVAL: NonZeroU32 = match NonZeroU32::new(64) {
    Some(units) => units,
    None => NonZeroU32::MIN,
};

/// The texts and data of a policy, each with the name of its file.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) modules: Vec<(String, String)>,
    pub(crate) data: Vec<(String, Value)>,
    /// Whether the texts are in the older Rego.
    pub(crate) v0: bool,
}

/// A policy that is ready to be asked.
#[derive(Debug)]
pub(crate) struct Policy {
    /// It is copied for each evaluation; the copy shares what was compiled.
    engine: Engine,
    max_time: Duration,
}

impl Policy {
    /// Parses and analyses a policy.
    ///
    /// # Errors
    /// The first mistake, with its file, line and column.
    pub(crate) fn compile(sources: Sources, max_time: Duration) -> Result<Self, PolicyError> {
        let mut engine = Engine::new();
        engine.set_rego_v0(sources.v0);
        // An error of a function is an error, and not a condition that does not hold.
        engine.set_strict_builtin_errors(true);
        // Without this, `print` writes to the stderr of the host.
        engine.set_gather_prints(true);
        for (name, text) in sources.modules {
            engine.add_policy(name, text).map_err(|error| PolicyError::of_policy(&error))?;
        }
        for (file, value) in sources.data {
            engine
                .add_data(value)
                .map_err(|error| PolicyError::Data { file, problem: error.to_string() })?;
        }
        let limit = ExecutionTimerConfig { limit: max_time, check_interval: CHECK_INTERVAL };
        engine.set_execution_timer_config(limit);
        // Analyses all modules once; every copy shares what comes out.
        engine.eval_query("true".to_owned(), false).map_err(|e| PolicyError::of_policy(&e))?;
        Ok(Self { engine, max_time })
    }

    /// Checks that there is a rule at a path.
    ///
    /// # Errors
    /// If there is none, with the packages that there are.
    pub(crate) fn check_rule(&self, path: &str) -> Result<(), PolicyError> {
        let mut engine = self.engine.clone();
        if engine.compile_with_entrypoint(&path.into()).is_ok() {
            return Ok(());
        }
        let packages = engine.get_packages().unwrap_or_default();
        let packages: Vec<String> = packages.iter().map(|name| format!("`{name}`")).collect();
        Err(PolicyError::NoRule { path: path.to_owned(), packages: packages.join(", ") })
    }

    /// Asks the rules about an input; one value for each, in their order.
    ///
    /// # Errors
    /// The failure of the first rule that cannot be evaluated.
    pub(crate) fn ask<'a>(
        &self,
        hook: &str,
        input: Value,
        rules: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<Value>, Failure> {
        let mut engine = self.engine.clone();
        engine.set_input(input);
        let values = rules.map(|rule| {
            engine.eval_rule(rule.to_owned()).map_err(|error| {
                let limit = error.downcast_ref::<LimitError>();
                evaluation_failure(&error.to_string(), limit, self.max_time)
            })
        });
        let values = values.collect();
        for line in engine.take_prints().unwrap_or_default() {
            tracing::debug!(target: "hookgate::rego", hook, print = %line);
        }
        values
    }
}
