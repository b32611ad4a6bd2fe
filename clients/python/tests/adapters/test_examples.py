"""Promise: the examples of docs/sdks.md do what they say."""

import asyncio
import inspect
import os
import pathlib
import re
import shutil
import tempfile
import unittest
from unittest import mock

from tests.support import PROGRAM

PAGE = (pathlib.Path(__file__).parents[4] / "docs" / "sdks.md").read_text(encoding="utf-8")
COMMANDS = ["ls", "git push --force", "cargo publish", "npm publish"]


def block(heading, language):
    found = re.search(rf"^## {re.escape(heading)}$.*?^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    return found.group(1)


class ExamplesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "bin").mkdir()
        (path / "bin" / "hookgate").symlink_to(pathlib.Path(shutil.which(PROGRAM)).resolve())
        (path / "hooks.toml").write_text(re.search(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S).group(1))
        patched = mock.patch.dict(os.environ, {"PATH": f"{path / 'bin'}{os.pathsep}{os.environ['PATH']}"})
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(path)
        self.ran, self.shown = [], []

    def example(self, heading, **names):
        def run(command):
            self.ran.append(command)
            return f"ran {command}"

        def person_agrees(step):
            command = step.get("tool_input", step)["command"]
            self.shown.append(command)
            return command.startswith("cargo")

        space = {"run": run, "person_agrees": person_agrees, **names}
        exec(compile(block(heading, "python"), heading, "exec", dont_inherit=True), space)
        self.addCleanup(space["gate"].close)
        return space

    def main(self, space):
        ended = space["main"]()
        ended = asyncio.run(ended) if inspect.iscoroutine(ended) else ended
        self.assertEqual(ended, "done")
        self.assertEqual(sorted(self.ran), ["cargo publish", "ls"])
        self.assertEqual(sorted(self.shown), ["cargo publish", "npm publish"])

    def test_openai_agents(self):
        from agents import set_tracing_disabled
        from agents.testing import ScriptedModel, assistant_message, function_call

        set_tracing_disabled(True)
        calls = [function_call("shell", {"command": one}, call_id=one) for one in COMMANDS]
        self.main(self.example("OpenAI Agents SDK", model=ScriptedModel([calls, [assistant_message("done")]])))

    def test_langchain(self):
        from langchain_core.messages import AIMessage

        from tests.adapters.test_langchain import Scripted

        calls = [{"name": "shell", "args": {"command": one}, "id": one} for one in COMMANDS]
        model = Scripted(messages=iter([AIMessage("", tool_calls=calls), AIMessage("done")]))
        self.main(self.example("LangChain and LangGraph", model=model))

    def test_pydantic_ai(self):
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
        from pydantic_ai.models.function import FunctionModel

        calls = [ToolCallPart("shell", {"command": one}, tool_call_id=one) for one in COMMANDS]
        answers = iter([ModelResponse(parts=calls), ModelResponse(parts=[TextPart("done")])])
        self.main(self.example("Pydantic AI", model=FunctionModel(lambda messages, info: next(answers))))

    def test_mcp_server(self):
        from mcp import Client
        from mcp.types import ElicitResult

        space = self.example("MCP server in Python")

        async def ask(context, params):
            return ElicitResult(action="accept", content={"approve": "cargo" in params.message})

        async def calls():
            async with Client(space["server"], elicitation_callback=ask) as client:
                return [(await client.call_tool("shell", {"command": one})).is_error for one in COMMANDS]

        self.assertEqual(asyncio.run(calls()), [False, True, False, True])
        self.assertEqual(self.ran, ["ls", "cargo publish"])

    def test_claude_agent(self):
        from claude_agent_sdk.types import ToolPermissionContext

        space = self.example("Claude Agent SDK")

        async def calls():
            hook, answers = space["options"].hooks["PreToolUse"][0].hooks[0], []
            for one in COMMANDS:
                call = {"tool_name": "shell", "tool_input": {"command": one}, "tool_use_id": one, "session_id": "s"}
                out = await hook({**call, "hook_event_name": "PreToolUse"}, one, {"signal": None})
                decision = out.get("hookSpecificOutput", {}).get("permissionDecision")
                if decision == "ask":
                    context = ToolPermissionContext(tool_use_id=one)
                    decision = (await space["options"].can_use_tool("shell", call["tool_input"], context)).behavior
                answers.append(decision)
            return answers

        self.assertEqual(asyncio.run(calls()), [None, "deny", "allow", "deny"])


if __name__ == "__main__":
    unittest.main()
