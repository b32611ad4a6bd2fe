"""The gate for asyncio: `async with session.tool(...) as permit`."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Mapping, Optional, TypeVar, Union

from . import _protocol as protocol
from ._errors import DeadlinePassed, Lost
from ._permit import Permit
from ._program import find

T = TypeVar("T")
Path = Union[str, "os.PathLike[str]"]

#: The longest line of a server that is read.
LINE = 64 << 20


class _Link:
    """One connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        child: Optional[asyncio.subprocess.Process],
    ) -> None:
        self._writer, self._child = writer, child
        self._waiting: Dict[int, "asyncio.Future[Dict[str, Any]]"] = {}
        self._number = 0
        self._lost: Optional[str] = None
        self._reading = asyncio.ensure_future(self._read(reader))

    @property
    def is_lost(self) -> bool:
        return self._lost is not None

    async def call(self, method: str, params: Mapping[str, Any], deadline: float) -> Dict[str, Any]:
        if self._lost is not None:
            raise Lost(self._lost)
        self._number += 1
        number = self._number
        line = protocol.frame(number, method, params)
        answer: "asyncio.Future[Dict[str, Any]]" = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._writer.write(line)
        try:
            response = await asyncio.wait_for(answer, deadline + protocol.GRACE)
        except asyncio.TimeoutError:
            raise DeadlinePassed(
                f"the server has not answered within {deadline} s, so the step does not happen"
            ) from None
        finally:
            self._waiting.pop(number, None)
        return protocol.result(response)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        why = "the server is gone, so the step does not happen"
        try:
            while True:
                line = await reader.readline()
                if not line:
                    break
                response = protocol.parse(line)
                number = response.get("id")
                answer = self._waiting.get(number) if isinstance(number, int) else None
                if answer is not None and not answer.done():
                    answer.set_result(response)
        except (OSError, ValueError) as error:
            why = f"the server cannot be understood ({error}), so the step does not happen"
        self._lose(why)

    def _lose(self, why: str) -> None:
        if self._lost is not None:
            return
        self._lost = why
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Lost(why))
        self._writer.close()

    async def close(self, why: str) -> None:
        self._lose(why)
        self._reading.cancel()
        if self._child is not None:
            try:
                await asyncio.wait_for(self._child.wait(), 15)
            except asyncio.TimeoutError:
                self._child.kill()
                await self._child.wait()


class Gate:
    """Where steps are judged. Made by :func:`spawn` and :func:`connect`."""

    def __init__(
        self,
        open_link: Callable[[], Awaitable[_Link]],
        *,
        events: Iterable[str],
        enforces: Iterable[str],
        accept_unenforced: Iterable[str],
        lost: str,
        deadline: float,
        finds_again: bool,
    ) -> None:
        protocol.check_lost(lost)
        self._open_link, self._finds_again = open_link, finds_again
        self._hello = protocol.hello(events, enforces, accept_unenforced)
        self.deadline = deadline
        self._added = protocol.Added()
        self._is_closed = False
        self._link: Optional[_Link] = None
        self._greeting = asyncio.Lock()
        #: What the host has said that it fires, and that it does.
        self.claims: Dict[str, List[str]] = {key: list(self._hello[key]) for key in ("events", "enforces")}
        self.greeting: Dict[str, Any] = {}

    async def _greet(self) -> "Gate":
        link = await self._open_link()
        try:
            self.greeting = await link.call("hello", self._hello, self.deadline)
            for request in self._added.requests():
                await link.call("override", request, self.deadline)
            if self._is_closed:
                raise Lost("the gate is closed, so the step does not happen")
        except BaseException:
            await link.close("the server was not greeted")
            raise
        self._link = link
        return self

    async def _call(
        self, method: str, params: Mapping[str, Any], deadline: Optional[float] = None
    ) -> Dict[str, Any]:
        limit = self.deadline if deadline is None else deadline
        began = asyncio.get_running_loop().time()
        try:
            link = await asyncio.wait_for(self._found(), limit)
        except asyncio.TimeoutError as error:
            raise DeadlinePassed("the server was not found again in time, so the step does not happen") from error
        left = limit - (asyncio.get_running_loop().time() - began)
        return await link.call(method, params, max(0.001, left))

    async def _found(self) -> "_Link":
        """Returns the connection, which is made anew if it is lost."""
        link = self._link
        if (link is None or link.is_lost) and self._finds_again and not self._is_closed:
            async with self._greeting:
                if self._link is None or self._link.is_lost:
                    try:
                        await self._greet()
                    except OSError as error:
                        raise Lost(f"the server is gone ({error}), so the step does not happen") from error
                link = self._link
        if link is None:
            raise Lost("the gate was not opened, so the step does not happen")
        return link

    def session(self, name: str) -> "Session":
        """A session; it begins with its first step."""
        return Session(self, name)

    async def status(self) -> Dict[str, Any]:
        """Which hooks are in force, and what is going on."""
        return await self._call("status", {})

    async def close(self) -> None:
        """Ends the connection, with its sessions. Every step that comes later is denied."""
        self._is_closed = True
        if self._link is not None:
            await self._link.close("the gate is closed, so the step does not happen")

    async def __aenter__(self) -> "Gate":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()


class Session:
    """A session of a gate."""

    def __init__(self, gate: Gate, name: str) -> None:
        self._gate = gate
        self.name = name

    def step(self, envelope: Mapping[str, Any], *, deadline: Optional[float] = None) -> "Step":
        """A step that is judged when it is entered: `async with session.step({...}) as permit:`."""
        return Step(self, "judge", {"session": self.name, "step": dict(envelope)}, deadline)

    def tool(
        self,
        name: str,
        arguments: Any,
        *,
        tool_use_id: Optional[str] = None,
        deadline: Optional[float] = None,
        **more: Any,
    ) -> "Step":
        """The use of a tool; `more` are other fields of the envelope, such as `cwd`."""
        return self.step(protocol.tool_step(name, arguments, tool_use_id, more), deadline=deadline)

    async def observe(self, envelope: Mapping[str, Any]) -> Dict[str, Any]:
        """Tells of an event that nothing can stop."""
        return await self._gate._call("observe", {"session": self.name, "step": dict(envelope)})

    async def override(
        self, hooks: Iterable[Mapping[str, Any]] = (), disable: Iterable[str] = ()
    ) -> List[str]:
        """Adds hooks to the session, which may only tighten; takes out those that were added so. Returns their ids."""
        given, taken = [dict(hook) for hook in hooks], list(disable)
        params = {"session": self.name, "hooks": given, "disable": taken}
        added = (await self._gate._call("override", params))["added"]
        self._gate._added.note(self.name, given, taken)
        return list(added)

    async def end(self) -> Dict[str, Any]:
        """Ends the session, with the hooks that were added to it."""
        self._gate._added.forget(self.name)
        return await self._gate._call("session.end", {"session": self.name})

    def _answer(self, question: Mapping[str, Any], answer: Any) -> "Step":
        params = {"session": self.name, "question": dict(question), "answer": answer}
        return Step(self, "ask.answer", params, None)


class Step:
    """A step that is judged when it is entered. What is not cleared is raised."""

    def __init__(self, session: Session, method: str, params: Dict[str, Any], deadline: Optional[float]) -> None:
        self._session, self._method, self._params = session, method, params
        self._deadline = deadline
        self._permit: Optional[Permit] = None

    async def __aenter__(self) -> Permit:
        gate = self._session._gate
        deadline = gate.deadline if self._deadline is None else self._deadline
        params = {**self._params, "deadline_ms": max(1, int(deadline * 1000))}
        judged = await gate._call(self._method, params, deadline)
        self._permit = protocol.permit(judged, self._session, self._params.get("answer"))
        return self._permit

    async def __aexit__(self, *_: Any) -> None:
        if self._permit is not None:
            self._permit._end()

    async def run(self, action: Callable[[Dict[str, Any]], Awaitable[T]]) -> T:
        """Has the step judged, and awaits the action with the payload that was judged."""
        async with self as permit:
            return await permit.run(action)


async def spawn(
    config: Optional[Path] = None,
    *,
    events: Iterable[str],
    enforces: Iterable[str] = protocol.ENFORCES,
    accept_unenforced: Iterable[str] = (),
    lost: str = "deny",
    deadline: float = 30.0,
    program: Optional[Path] = None,
    arguments: Iterable[str] = (),
) -> Gate:
    """As :func:`hookgate.spawn`."""
    command = [os.fspath(program or find()), "serve", "--stdio", *arguments]
    if config is not None:
        command += ["--config", os.fspath(config)]

    async def open_link() -> _Link:
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=LINE)
        assert child.stdin is not None and child.stdout is not None
        return _Link(child.stdout, child.stdin, child)

    return await Gate(
        open_link,
        events=events,
        enforces=enforces,
        accept_unenforced=accept_unenforced,
        lost=lost,
        deadline=deadline,
        finds_again=False,
    )._greet()


async def connect(
    path: Path,
    *,
    events: Iterable[str],
    enforces: Iterable[str] = protocol.ENFORCES,
    accept_unenforced: Iterable[str] = (),
    lost: str = "deny",
    deadline: float = 30.0,
) -> Gate:
    """As :func:`hookgate.connect`."""

    async def open_link() -> _Link:
        reader, writer = await asyncio.open_unix_connection(os.fspath(path), limit=LINE)
        return _Link(reader, writer, None)

    return await Gate(
        open_link,
        events=events,
        enforces=enforces,
        accept_unenforced=accept_unenforced,
        lost=lost,
        deadline=deadline,
        finds_again=True,
    )._greet()
