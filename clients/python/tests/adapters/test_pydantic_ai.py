"""Promise: in Pydantic AI, a tool runs if it was cleared, and as it was judged."""

import unittest

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

import hookgate
from hookgate.adapters import pydantic_ai
from tests.adapters.scenarios import Base, Halts, Outcome, Pauses, Prompts, RewrittenPrompts, Scenarios, Unseen


class PydanticAi(Base):
    CLAIMS = pydantic_ai.CLAIMS
    adapter = pydantic_ai.Hookgate
    others = ()
    needs_approval = False

    async def run_turns(self, *turns, prompt="go on"):
        calls = iter(range(100))
        answers = [
            ModelResponse(parts=[ToolCallPart("Bash", {"command": one}, tool_call_id=f"c{next(calls)}") for one in turn])
            for turn in turns
        ]
        self.answers, self.asked_model = iter([*answers, ModelResponse(parts=[TextPart("done")])]), 0
        return await self.go_on(prompt)

    def model(self, messages, info):
        self.asked_model += 1
        self.seen = messages
        return next(self.answers)

    async def go_on(self, prompt=None, **more):
        agent = Agent(
            FunctionModel(self.model), output_type=[str, DeferredToolRequests], capabilities=[self.hookgate, *self.others]
        )

        @agent.tool_plain(name="Bash", requires_approval=self.needs_approval)
        def bash(command: str) -> str:
            return self.bash(command)

        try:
            result = await self.call(lambda: agent.run_sync(prompt, **more), lambda: agent.run(prompt, **more))
        except hookgate.Halted as halted:
            self.assertEqual(self.asked_model, 1)
            return Outcome({}, halted=halted.reason)
        parts = [part for message in result.all_messages() for part in message.parts]
        told = {part.tool_call_id: str(part.content) for part in parts if isinstance(part, ToolReturnPart)}
        waits = {call.tool_call_id: call for call in getattr(result.output, "approvals", [])}
        return Outcome(told, waits, state=(result, waits))

    async def resume(self, paused, answers):
        result, waits = paused.state
        approvals = {
            call: True if answers[call] is True else await self.hookgate.reject(waits[call], answers[call]) for call in waits
        }
        results = result.output.build_results(approvals=approvals)
        return await self.go_on(message_history=result.all_messages(), deferred_tool_results=results)

    def asked(self, paused, call):
        return self.hookgate.asked(paused.state[1][call])

    def why(self, error):
        self.assertIsInstance(error, hookgate.Denied)
        self.assertEqual(self.asked_model, 0)
        return error.reason


class AsyncTest(PydanticAi, Scenarios, Halts, Prompts, Pauses, Unseen):
    async def test_the_metadata_of_a_request_shows_what_would_run(self):
        paused = await self.run_turns(["release"])
        shown = paused.state[0].output.metadata["c0"]["hookgate"]
        self.assertEqual((shown["input"], shown["by"]), ({"command": "publish --dry-run"}, ["confirm"]))

    async def test_nothing_changes_the_arguments_after_they_were_judged(self):
        class Other(AbstractCapability):
            async def before_tool_execute(self, ctx, *, call, tool_def, args):
                return {"command": "git push --force"}

        self.others = [Other()]
        outcome = await self.run_turns(["ls"])
        self.assertEqual(self.ran, [])
        self.assertIn("force push is not allowed here", outcome.told["c0"])

    async def test_tools_that_run_elsewhere_are_refused(self):
        from pydantic_ai.capabilities import NativeTool
        from pydantic_ai.native_tools import WebSearchTool
        from pydantic_ai.tools import ToolDefinition
        from pydantic_ai.toolsets import ExternalToolset

        self.answers, self.asked_model = iter([]), 0
        for more in (
            {"toolsets": [ExternalToolset([ToolDefinition(name="far")])], "capabilities": [self.hookgate]},
            {"capabilities": [self.hookgate, NativeTool(WebSearchTool())]},
        ):
            agent = Agent(FunctionModel(self.model), output_type=[str, DeferredToolRequests], **more)
            with self.assertRaisesRegex(ValueError, "far|web_search"):
                await agent.run("go on")
        self.assertEqual(self.asked_model, 0)

    async def test_other_arguments_of_a_person_are_judged(self):
        from pydantic_ai import ToolApproved

        paused = await self.run_turns(["cargo publish"])
        results = paused.state[0].output.build_results(approvals={"c0": ToolApproved(override_args={"command": "push --force"})})
        outcome = await self.go_on(message_history=paused.state[0].all_messages(), deferred_tool_results=results)
        self.assertEqual(self.ran, [])
        self.assertIn("force push", outcome.told["c0"])


class AioGateTest(PydanticAi, Scenarios, Halts, Prompts, Pauses):
    is_aio = True


class BlockingTest(PydanticAi, Scenarios, Halts, Prompts, Pauses):
    is_blocking = True


class RewrittenPromptTest(RewrittenPrompts, PydanticAi):
    async def test_it_is_what_the_model_gets(self):
        await self.run_turns(["ls"])
        self.assertEqual([part.content for part in self.seen[0].parts], ["please go on"])


if __name__ == "__main__":
    unittest.main()
