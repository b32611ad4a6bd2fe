"""Promise: in an MCP server, a tool runs if it was cleared, and as it was judged."""

import asyncio
import os
import signal
import unittest

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ElicitResult, ImageContent, TextContent

from hookgate.adapters import mcp_server
from tests.adapters.scenarios import Base, Outcome, Scenarios
from tests.support import child_of_this_process


class Mcp(Base):
    """The model is a client that calls the tool."""

    CLAIMS = mcp_server.CLAIMS
    adapter = mcp_server.Hookgate
    prompts = False
    mode = "auto"
    structured = None
    approves = None

    async def elicited(self, context, params):
        self.shown.append(params.message)
        return self.approves(params.message)

    async def run_turns(self, *turns):
        self.shown = []
        server = MCPServer("tools", middleware=[self.hookgate], log_level="CRITICAL")

        @server.tool(name="Bash", structured_output=self.structured)
        async def bash(command: str) -> str:
            return self.bash(command)

        return await self.calls(server, turns)

    async def calls(self, server, turns):
        callback = self.elicited if self.approves is not None else None
        told, number = {}, 0
        async with Client(server, mode=self.mode, elicitation_callback=callback) as client:
            for turn in turns:
                results = await asyncio.gather(*(client.call_tool("Bash", {"command": one}) for one in turn))
                for result in results:
                    told[f"c{number}"] = str([block.model_dump() for block in result.content]) + str(result.structured_content)
                    number += 1
        return Outcome(told)


class Tests(Mcp, Scenarios):
    async def test_a_user_of_the_client_approves(self):
        self.approves = lambda message: ElicitResult(action="accept", content={"approve": True})
        outcome = await self.run_turns(["release"], ["ls"])
        self.assertEqual(self.ran, ["publish --dry-run", "ls"])
        self.assertIn("ran publish --dry-run", outcome.told["c0"])
        self.assertEqual(self.shown, ['a published version stays\nBash {"command": "publish --dry-run"}'])

    async def test_a_user_of_the_client_refuses(self):
        for answer in (
            ElicitResult(action="accept", content={"approve": False}),
            ElicitResult(action="decline"),
            ElicitResult(action="cancel"),
        ):
            self.approves = lambda message: answer
            outcome = await self.run_turns(["cargo publish"])
            self.assertEqual(self.ran, [])
            self.assertIn("the user has refused it", outcome.told["c0"])

    async def test_each_question_has_its_own_answer(self):
        self.approves = lambda message: ElicitResult(action="accept", content={"approve": "npm" in message})
        await self.run_turns(["cargo publish", "npm publish", "ls"])
        self.assertEqual(sorted(self.ran), ["ls", "npm publish"])

    async def test_a_client_that_can_ask_nobody_is_a_deny(self):
        outcome = await self.run_turns(["cargo publish"])
        self.assertEqual(self.ran, [])
        self.assertIn("the client can ask nobody", outcome.told["c0"])

    async def test_an_approval_with_a_lost_server_is_a_deny(self):
        def approves(message):
            os.kill(child_of_this_process(), signal.SIGKILL)
            return ElicitResult(action="accept", content={"approve": True})

        self.approves = approves
        outcome = await self.run_turns(["cargo publish"])
        self.assertEqual(self.ran, [])
        self.assertIn("the step does not happen", outcome.told["c0"])

    async def test_a_halt_is_a_deny(self):
        outcome = await self.run_turns(["stop it"], ["leak"])
        self.assertEqual(self.ran, ["leak"])
        self.assertIn("denied: enough", outcome.told["c0"])
        self.assertNotIn("ran leak", outcome.told["c1"])

    async def test_every_form_of_an_output_is_judged(self):
        server = MCPServer("tools", middleware=[self.hookgate], log_level="CRITICAL")

        @server.tool(name="Bash", structured_output=False)
        async def bash(command: str) -> CallToolResult:
            if command == "cat token":
                return CallToolResult(content=[TextContent(type="text", text="fine")], structured_content={"token": "ran cat"})
            if command == "show key":
                return CallToolResult(content=[TextContent(type="text", text="fine")], structured_content={"key": "hush"})
            return CallToolResult(content=[ImageContent(type="image", data="cmFu", mime_type="image/png")])

        outcome = await self.calls(server, [["cat token"], ["cat secret"], ["ls"], ["show key"]])
        self.assertIn("masked", outcome.told["c0"])
        self.assertNotIn("ran cat", outcome.told["c0"])
        self.assertNotIn("image", outcome.told["c1"])
        self.assertIn("image", outcome.told["c2"])
        self.assertIn("a key stands in it", outcome.told["c3"])
        self.assertNotIn("hush", outcome.told["c3"])


class RoundsTest(Tests):
    async def test_an_answer_is_one_to_its_own_question(self):
        server = MCPServer("tools", middleware=[self.hookgate], log_level="CRITICAL")

        @server.tool(name="Bash")
        async def bash(command: str) -> str:
            return self.bash(command)

        self.approves = lambda message: None
        async with Client(server, elicitation_callback=self.elicited) as client:
            first = await client.session.call_tool("Bash", {"command": "cargo publish"}, allow_input_required=True)
            given = {"hookgate": ElicitResult(action="accept", content={"approve": True})}
            with self.assertRaises(Exception):
                await client.session.call_tool(
                    "Bash", {"command": "npm publish"}, input_responses=given, request_state=first.request_state
                )
            self.assertEqual(self.ran, [])
            for _ in range(2):
                await client.session.call_tool(
                    "Bash", {"command": "cargo publish"}, input_responses=given, request_state=first.request_state
                )
        self.assertEqual(self.ran, ["cargo publish"])


class LegacyTest(Tests):
    mode = "legacy"


class AioGateTest(Tests):
    is_aio = True


class UnstructuredTest(Tests):
    structured = False


del Tests

if __name__ == "__main__":
    unittest.main()
