"""Promise: in LangChain and LangGraph, a tool runs if it was cleared, and as it was judged."""

import unittest

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hookgate import Asked
from hookgate.adapters import langchain
from tests.adapters.scenarios import Base, Halts, Outcome, Pauses, RewrittenPrompts, Scenarios


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


class LangChain(Base):
    CLAIMS = langchain.CLAIMS
    adapter = langchain.Hookgate
    made = None

    def tools(self):
        @tool("Bash")
        def bash(command: str) -> str:
            """Runs a command."""
            return self.bash(command)

        return [bash]

    async def run_turns(self, *turns, prompt="go on"):
        calls = iter(range(100))
        answers = [
            AIMessage("", tool_calls=[{"name": "Bash", "args": {"command": one}, "id": f"c{next(calls)}"} for one in turn])
            for turn in turns
        ]
        self.model = Scripted(messages=iter([*answers, AIMessage("done")]))
        self.saver = InMemorySaver()
        return await self.go_on({"messages": [HumanMessage(prompt)]})

    async def go_on(self, given):
        agent = create_agent(self.model, self.tools(), middleware=[self.hookgate], checkpointer=self.saver)
        config = {"configurable": {"thread_id": "1"}}
        state = await self.call(lambda: agent.invoke(given, config), lambda: agent.ainvoke(given, config))
        waits = {}
        for one in state.get("__interrupt__", []):
            waits[one.value["question"]["request"]["step"]["tool_use_id"]] = one
        told = {one.tool_call_id: one.content for one in state["messages"] if isinstance(one, ToolMessage)}
        halted = state.get("halted")
        self.assertEqual(state["messages"][-1].content if halted else None, f"halted: {halted}" if halted else None)
        return Outcome(told, waits, halted, waits)

    async def resume(self, paused, answers):
        resume = {}
        for call, one in paused.state.items():
            answer = answers[call]
            resume[one.id] = langchain.approve(one.value) if answer is True else langchain.reject(one.value, answer)
        return await self.go_on(Command(resume=resume))

    def asked(self, paused, call):
        value = paused.state[call].value
        return Asked(value["reason"], value["question"], {}, self.gate.session("s"))


class Tests(LangChain, Scenarios, Halts, Pauses):
    async def test_a_prompt_is_denied(self):
        agent = create_agent(Scripted(messages=iter([])), self.tools(), middleware=[self.hookgate])
        given = {"messages": [HumanMessage("write malware")]}
        state = await self.call(lambda: agent.invoke(given), lambda: agent.ainvoke(given))
        self.assertEqual([one.content for one in state["messages"]], ["denied: not here"])

    async def test_an_approval_that_another_process_was_asked_for_is_none(self):
        paused = await self.run_turns(["cargo publish", "npm publish"])
        self.forget()
        # A resumption that names no question, or that of another call, approves nothing.
        first, second = paused.state["c0"], paused.state["c1"]
        outcome = await self.go_on(Command(resume={first.id: True, second.id: langchain.approve(first.value)}))
        self.assertEqual(self.ran, [])
        self.assertIn("resumed without an answer", outcome.told["c0"])
        self.assertIn("another call", outcome.told["c1"])

    async def test_a_signed_question_can_be_answered_by_another_process(self):
        paused = await self.run_turns(["cargo publish"])
        self.forget()
        await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, ["cargo publish"])

    async def test_a_forged_question_approves_nothing(self):
        paused = await self.run_turns(["cargo publish"])
        paused.state["c0"].value["question"]["request"]["step"]["tool_input"]["command"] = "publish more"
        outcome = await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, [])
        self.assertIn("denied", outcome.told["c0"])

    async def test_a_person_changes_the_arguments_and_they_are_judged_again(self):
        paused = await self.run_turns(["cargo publish", "npm publish"])
        resume = {
            paused.state[call].id: langchain.approve_with(paused.state[call].value, {"command": command})
            for call, command in (("c0", "publish --dry-run"), ("c1", "publish; push --force"))
        }
        outcome = await self.go_on(Command(resume=resume))
        self.assertEqual(self.ran, ["publish --dry-run"])
        self.assertIn("force push", outcome.told["c1"])

    async def test_the_next_run_of_a_thread_that_was_halted_goes_on(self):
        await self.run_turns(["stop it"])
        self.model = Scripted(messages=iter([AIMessage("hello")]))
        outcome = await self.go_on({"messages": [HumanMessage("again")]})
        self.assertIsNone(outcome.halted)


class AsyncTest(Tests):
    pass


class AioGateTest(Tests):
    is_aio = True


class BlockingTest(Tests):
    is_blocking = True


class RewrittenPromptTest(RewrittenPrompts, LangChain):
    async def test_it_is_what_the_model_gets(self):
        agent = create_agent(Scripted(messages=iter([AIMessage("done")])), self.tools(), middleware=[self.hookgate])
        state = await agent.ainvoke({"messages": [HumanMessage("go on")]})
        self.assertEqual([one.content for one in state["messages"]], ["please go on", "done"])


class CommandTest(LangChain):
    """A tool that gives an update of the state."""

    def tools(self):
        from typing import Annotated

        from langchain_core.tools import InjectedToolCallId

        @tool("Bash")
        def bash(command: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
            """Runs a command."""
            return Command(update={"messages": [ToolMessage(self.bash(command), tool_call_id=tool_call_id)]})

        return [bash]

    async def test_its_messages_are_judged(self):
        outcome = await self.run_turns(["cat secret", "cat token", "npm install"])
        self.assertIn("a secret stands in it", outcome.told["c0"])
        self.assertEqual(outcome.told["c1"], "masked")
        self.assertEqual(outcome.told["c2"], "ran pnpm install")


del Tests

if __name__ == "__main__":
    unittest.main()
