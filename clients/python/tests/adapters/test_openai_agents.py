"""Promise: in the OpenAI Agents SDK, a tool runs if it was cleared, and as it was judged."""

import asyncio
import unittest

from agents import Agent, RunConfig, Runner, RunState, function_tool, set_tracing_disabled
from agents.exceptions import InputGuardrailTripwireTriggered, ToolInputGuardrailTripwireTriggered
from agents.exceptions import ToolOutputGuardrailTripwireTriggered
from agents.testing import ScriptedModel, assistant_message, function_call

from hookgate.adapters import openai_agents
from tests.adapters.scenarios import Base, Halts, Outcome, Pauses, Prompts, RewrittenPrompts, Scenarios, Unseen

set_tracing_disabled(True)


class OpenAi(Base):
    CLAIMS = openai_agents.CLAIMS
    adapter = openai_agents.Hookgate
    config = None
    is_forgotten = False
    needs_approval = False

    async def run_turns(self, *turns, prompt="go on"):
        calls = iter(range(100))
        steps = [[function_call("Bash", {"command": one}, call_id=f"c{next(calls)}") for one in turn] for turn in turns]
        self.model = ScriptedModel([*steps, [assistant_message("done")]])
        tool = function_tool(self.bash, name_override="Bash", needs_approval=self.needs_approval)
        self.agent = Agent(name="a", model=self.model, tools=[tool])
        return await self.go_on(prompt)

    async def go_on(self, given):
        agent = self.hookgate.agent(self.agent)
        try:
            result = await self.call(
                lambda: Runner.run_sync(agent, given, run_config=self.config),
                lambda: Runner.run(agent, given, run_config=self.config),
            )
        except (ToolInputGuardrailTripwireTriggered, ToolOutputGuardrailTripwireTriggered) as halted:
            self.assertEqual(len(self.model.calls), 1)
            return Outcome({}, halted=halted.output.output_info["reason"])
        outputs = [item.raw_item for item in result.new_items if item.type == "tool_call_output_item"]
        told = {item["call_id"]: str(item["output"]) for item in outputs}
        return Outcome(told, [item.call_id for item in result.interruptions], state=result)

    async def resume(self, paused, answers, seen=False):
        state = paused.state.to_state()
        if self.is_forgotten:
            state = await RunState.from_json(self.hookgate.agent(self.agent), state.to_json())
        for item in state.get_interruptions():
            answer = answers[item.call_id]
            if answer is True:
                state.approve(item)
            else:
                state.reject(item, rejection_message=await self.hookgate.reject(item, answer))
        return await self.go_on(state)

    def forget(self):
        self.hookgate, self.is_forgotten = self.adapter(self.gate, "s"), True

    def asked(self, paused, call):
        return self.hookgate.asked(next(item for item in paused.state.interruptions if item.call_id == call))

    def why(self, error):
        self.assertIsInstance(error, InputGuardrailTripwireTriggered)
        self.assertEqual(self.model.calls, ())
        return error.guardrail_result.output.output_info["reason"]


class AsyncTest(OpenAi, Scenarios, Halts, Prompts, Pauses, Unseen):
    async def test_what_no_guardrail_stands_before_is_refused(self):
        from agents import WebSearchTool

        with self.assertRaisesRegex(ValueError, "web_search"):
            self.hookgate.agent(Agent(name="a", tools=[WebSearchTool()]))

    async def test_a_streamed_run_is_judged(self):
        await self.run_turns(["ls"])
        calls = [function_call("Bash", {"command": one}, call_id=one) for one in ("git push --force", "npm install", "publish")]
        self.agent.model = ScriptedModel([calls, [assistant_message("done")]])
        result = Runner.run_streamed(self.adapter(self.gate, "s").agent(self.agent), "go on")
        async for _ in result.stream_events():
            pass
        self.assertEqual((self.ran, [item.call_id for item in result.interruptions]), (["ls", "pnpm install"], ["publish"]))
        result = Runner.run_streamed(self.adapter(self.gate, "s").agent(self.agent), "write malware")
        with self.assertRaises(InputGuardrailTripwireTriggered):
            async for _ in result.stream_events():
                pass

    async def test_the_agents_of_handoffs_are_judged(self):
        other = Agent(name="b", tools=[function_tool(self.bash, name_override="Bash")])
        one = Agent(name="a", handoffs=[other])
        other.handoffs = [one]
        guarded = self.hookgate.agent(one)
        self.assertEqual(guarded.handoffs[0].tools[0].tool_input_guardrails[-1].name, "hookgate")
        self.assertIs(guarded.handoffs[0].handoffs[0], guarded)

    async def test_an_approval_for_always_is_none_of_a_step_that_was_not_shown(self):
        paused = await self.run_turns(["cargo publish"], ["npm publish"])
        state = paused.state.to_state()
        state.approve(paused.state.interruptions[0], always_approve=True)
        outcome = await self.go_on(state)
        self.assertEqual(self.ran, ["cargo publish"])
        self.assertIn("no person was asked", outcome.told["c1"])

    async def test_guardrails_before_an_approval_clear_nothing(self):
        from agents.run_config import ToolExecutionConfig

        self.config = RunConfig(tool_execution=ToolExecutionConfig(pre_approval_tool_input_guardrails=True))
        await Pauses.test_a_step_that_was_approved_runs(self)

    async def test_runs_at_the_same_time_may_give_their_calls_the_same_ids(self):
        async def other(text: str) -> str:
            return text

        async def run(name, field, text):
            calls = [function_call(name, {field: text}, call_id="c0")]
            tools = [function_tool(self.bash, name_override="Bash"), function_tool(other, name_override="Say")]
            agent = Agent(name="a", model=ScriptedModel([calls, [assistant_message("done")]]), tools=tools)
            await Runner.run(self.hookgate.agent(agent), "go on")

        for _ in range(5):
            both = [("Bash", "command", "git push --force"), ("Say", "text", "ls"), ("Bash", "command", "ls")]
            await asyncio.gather(*(run(*one) for one in both * 3))
        self.assertEqual(set(self.ran), {"ls"})

    async def test_a_run_that_was_kept_goes_on_in_the_same_process(self):
        paused = await self.run_turns(["cargo publish"])
        kept = paused.state.to_state().to_json()
        state = await RunState.from_json(self.hookgate.agent(self.agent), kept)
        state.approve(state.get_interruptions()[0])
        await self.go_on(state)
        self.assertEqual(self.ran, ["cargo publish"])


class RewrittenPromptTest(RewrittenPrompts, OpenAi):
    async def test_it_is_denied_since_there_is_no_place_for_it(self):
        with self.assertRaises(InputGuardrailTripwireTriggered) as raised:
            await self.run_turns(["ls"])
        self.assertIn("rewritten the prompt", self.why(raised.exception))


class AioGateTest(OpenAi, Scenarios, Halts, Prompts, Pauses):
    is_aio = True


class BlockingTest(OpenAi, Scenarios, Halts, Prompts, Pauses):
    is_blocking = True


if __name__ == "__main__":
    unittest.main()
