"""Promise: with asyncio too, nothing runs that was not cleared."""

import asyncio
import os
import signal
import time
import unittest

import hookgate
from hookgate import aio
from tests.support import EVENTS, PROGRAM, Folder, child_of_this_process, stop


class AioTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)

    async def spawn(self, **more):
        gate = await aio.spawn(self.folder.hooks, events=EVENTS, program=PROGRAM, **more)
        self.addAsyncCleanup(gate.close)
        return gate

    async def connect(self, **more):
        gate = await aio.connect(self.folder.socket, events=EVENTS, **more)
        self.addAsyncCleanup(gate.close)
        return gate

    async def fails(self, step):
        self.fail(f"it ran: {step}")

    async def test_what_is_cleared_runs_as_it_was_judged_and_nothing_else_does(self):
        session = (await self.spawn()).session("s")
        async with session.tool("Bash", {"command": "npm install"}) as permit:
            self.assertEqual(permit.input, {"command": "pnpm install"})
        with self.assertRaises(hookgate.PermitUsed):
            permit.payload
        for command, kind in [
            ("git push --force", hookgate.Denied),
            ("cargo publish", hookgate.Asked),
            ("stop it", hookgate.Halted),
            ("date", hookgate.Answered),
        ]:
            with self.assertRaises(kind):
                await session.tool("Bash", {"command": command}).run(self.fails)

    async def test_a_person_approves_or_rejects(self):
        session = (await self.spawn()).session("s")
        for _ in range(2):
            with self.assertRaises(hookgate.Asked) as raised:
                await session.tool("Bash", {"command": "cargo publish"}).run(self.fails)
        async with raised.exception.approve() as permit:
            self.assertEqual(permit.input, {"command": "cargo publish"})
        with self.assertRaises(hookgate.Asked) as raised:
            await session.tool("Bash", {"command": "cargo publish"}).run(self.fails)
        with self.assertRaises(hookgate.Denied):
            await raised.exception.reject("no").run(self.fails)

    async def test_a_killed_server_is_a_deny(self):
        session = (await self.spawn()).session("s")
        step = asyncio.ensure_future(session.tool("Bash", {"command": "slow"}).run(self.fails))
        await asyncio.sleep(0.3)
        os.kill(child_of_this_process(), signal.SIGKILL)
        with self.assertRaises(hookgate.Lost):
            await asyncio.wait_for(step, 10)
        with self.assertRaises(hookgate.Lost):
            await session.tool("Bash", {"command": "ls"}).run(self.fails)

    async def test_a_server_that_hangs_is_a_deny_after_the_deadline(self):
        server = self.folder.listen()
        session = (await self.connect(deadline=0.5)).session("s")
        stop(server)
        began = time.monotonic()
        for text in ("ls", "x" * 3_000_000):
            with self.assertRaises(hookgate.DeadlinePassed):
                await session.tool("Bash", {"command": text}).run(self.fails)
        self.assertLess(time.monotonic() - began, 10)
        server.send_signal(signal.SIGCONT)

    async def test_a_server_that_was_started_again_is_found_with_the_hooks_of_the_session(self):
        server = self.folder.listen()
        session = (await self.connect()).session("s")
        deny = {"id": "mine", "event": "pre_tool_use", "tool": "Bash", "builtin": {"name": "deny", "reason": "no"}}
        self.assertEqual(await session.override([deny]), ["mine"])
        server.kill()
        server.wait()
        with self.assertRaises(hookgate.Lost):
            await session.tool("Bash", {"command": "ls"}).run(self.fails)
        self.folder.listen()
        with self.assertRaises(hookgate.Denied) as raised:
            await session.tool("Bash", {"command": "ls"}).run(self.fails)
        self.assertEqual(raised.exception.by, ["scope/mine"])

    async def test_steps_of_one_gate_are_judged_at_the_same_time_and_begin_in_their_order(self):
        session = (await self.spawn()).session("s")

        async def count(number):
            try:
                async with session.tool("Count", {"number": number}):
                    return "ran"
            except hookgate.Denied:
                return "denied"

        counted = await asyncio.gather(*(count(number) for number in range(5)))
        self.assertEqual(counted, ["ran", "ran", "denied", "denied", "denied"])
        slow = asyncio.ensure_future(session.tool("Bash", {"command": "slow"}, deadline=8).run(self.fails))
        began = time.monotonic()
        async with session.tool("Bash", {"command": "ls"}) as permit:
            self.assertEqual(permit.input, {"command": "ls"})
        self.assertLess(time.monotonic() - began, 4)
        slow.cancel()
        with self.assertRaises(ValueError):
            await self.spawn(lost="allow")
