//! A small agent: it follows the script of a vector, and acts only on what its host permits.

use hookgate_agent_hooks::{AgentSession, Blocked, Emission, InterceptionRecord};
use serde_json::{Map, Value, json};

/// What the agent asks before and after each action. It is told what happened.
pub(crate) trait Ask {
    async fn ask(&self, context: Map<String, Value>) -> (Emission, InterceptionRecord);

    /// Whether the agent acts although it must not. Only lenient hosts do.
    fn ignores_blocks(&self) -> bool {
        false
    }
}

/// A run of the agent.
pub(crate) struct Agent<'a, A> {
    asks: &'a A,
    scenario: &'a Value,
    session: AgentSession,
    pub(crate) records: Vec<InterceptionRecord>,
    pub(crate) tools_run: Vec<Value>,
}

/// How a run ended: what goes to the caller, or what was blocked.
type Ended = Result<Value, Box<Blocked>>;

impl<'a, A: Ask> Agent<'a, A> {
    pub(crate) fn new(asks: &'a A, scenario: &'a Value, session: &str) -> Self {
        let session = AgentSession::new("kit-agent", "hookgate", session);
        Self { asks, scenario, session, records: Vec::new(), tools_run: Vec::new() }
    }

    /// Runs a session from its start to its end.
    pub(crate) async fn run(&mut self) -> Ended {
        let ended = self.work().await;
        let reason = if ended.is_ok() { "completed" } else { "error" };
        let shutdown = self.session.agent_shutdown(reason);
        // Nothing is left to be blocked.
        let _ = self.ask(shutdown).await;
        ended
    }

    async fn ask(
        &mut self,
        context: Map<String, Value>,
    ) -> Result<Map<String, Value>, Box<Blocked>> {
        let (emission, record) = self.asks.ask(context.clone()).await;
        self.records.push(record);
        match emission.permitted() {
            Err(_) if self.asks.ignores_blocks() => Ok(context),
            permitted => permitted.map_err(Box::new),
        }
    }

    async fn work(&mut self) -> Ended {
        let scenario = self.scenario;
        let tools = scenario["tools"].as_array().into_iter().flatten();
        let mut tools: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        tools.sort_unstable();
        let startup = self.session.agent_startup(&tools);
        self.ask(startup).await?;

        let (content, role) = (&scenario["input"]["content"], &scenario["input"]["role"]);
        let input = self.session.input(content.clone(), role.as_str().unwrap_or("user"));
        let input = self.ask(input).await?;
        let mut messages =
            vec![json!({"role": input["input"]["role"], "content": input["input"]["content"]})];

        for turn in scenario["model_script"].as_array().into_iter().flatten() {
            let request = self.session.pre_model_call("mock", &messages);
            messages = self.ask(request).await?["messages"].as_array().unwrap().clone();

            let answer = &turn["respond"];
            let calls = answer["tool_calls"].as_array().cloned().unwrap_or_default();
            let finish = answer["finish_reason"].as_str().unwrap_or_default();
            let response =
                self.session.post_model_call("mock", answer["content"].clone(), &calls, finish);
            let response = self.ask(response).await?["response"].clone();

            let calls = response["tool_calls"].as_array().unwrap();
            if calls.is_empty() {
                return self.answer(response["content"].clone()).await;
            }
            for call in calls {
                let result = match self.call(call).await {
                    Ok(value) => value,
                    Err(blocked) => json!(format!("{blocked}")),
                };
                messages.push(json!({"role": "tool", "content": result}));
            }
            let text = response["content"].as_str().unwrap_or_default();
            messages.push(json!({"role": "assistant", "content": text}));
        }
        Ok(Value::Null)
    }

    /// Runs a tool, and returns what the model sees of it.
    async fn call(&mut self, call: &Value) -> Ended {
        let (id, name) = (call["id"].as_str().unwrap(), call["name"].as_str().unwrap());
        let before = self.session.pre_tool_call(id, name, call["args"].clone());
        let args = self.ask(before).await?["tool_call"]["args"].clone();
        let (value, is_error) = self.execute(name, &args);
        self.tools_run.push(json!({"name": name, "args": args}));
        let after = self.session.post_tool_call(id, name, args, value, is_error);
        Ok(self.ask(after).await?["tool_result"]["value"].clone())
    }

    fn execute(&self, name: &str, args: &Value) -> (Value, bool) {
        let tools = self.scenario["tools"].as_array().unwrap();
        let tool =
            tools.iter().find(|tool| tool["name"] == name).expect("the tool is in the scenario");
        let fits = |behavior: &&Value| behavior.get("when_args").is_none_or(|when| when == args);
        let behavior = tool["behavior"].as_array().unwrap().iter().find(fits);
        let behavior = behavior.expect("the scenario says what the tool does");
        (behavior["return"].clone(), behavior["is_error"].as_bool().unwrap_or(false))
    }

    /// Hands the answer to the caller.
    async fn answer(&mut self, content: Value) -> Ended {
        let output = self.session.output(content);
        Ok(self.ask(output).await?["output"]["content"].clone())
    }
}
