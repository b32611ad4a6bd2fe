"""The gate for threads."""

from __future__ import annotations

import io
import os
import queue
import socket
import subprocess
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from types import TracebackType
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Mapping, Optional, Type, TypeVar, Union, cast

from . import _protocol as protocol
from ._errors import DeadlinePassed, Lost
from ._permit import Permit
from ._program import find

T = TypeVar("T")
#: How many seconds a server may take to end.
END = 15.0

Path = Union[str, "os.PathLike[str]"]


class _Link:
    """One connection: a thread reads, a thread writes, callers wait."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, close: Callable[[], None]) -> None:
        self._reader, self._writer, self._close = reader, writer, close
        self._lock = threading.Lock()
        self._waiting: Dict[int, "Future[Dict[str, Any]]"] = {}
        self._number = 0
        self._lost: Optional[str] = None
        # A server that reads nothing keeps the thread, and not the caller.
        self._out: "queue.Queue[Optional[bytes]]" = queue.Queue()
        for target in (self._read, self._write):
            threading.Thread(target=target, daemon=True).start()

    @property
    def is_lost(self) -> bool:
        return self._lost is not None

    def call(self, method: str, params: Mapping[str, Any], deadline: float) -> Dict[str, Any]:
        answer: "Future[Dict[str, Any]]" = Future()
        with self._lock:
            if self._lost is not None:
                raise Lost(self._lost)
            self._number += 1
            number = self._number
            line = protocol.frame(number, method, params)
            self._waiting[number] = answer
            # Within the lock, so that steps are sent in the order in which they were begun.
            self._out.put(line)
        try:
            response = answer.result(timeout=deadline + protocol.GRACE)
        except FutureTimeout:
            with self._lock:
                self._waiting.pop(number, None)
            raise DeadlinePassed(f"the server has not answered within {deadline} s, so the step does not happen") from None
        return protocol.result(response)

    def _write(self) -> None:
        try:
            while True:
                line = self._out.get()
                if line is None:
                    return
                rest = memoryview(line)
                while rest:
                    rest = rest[self._writer.write(rest) :]
        except (OSError, ValueError) as error:
            self.lose(f"the server is gone ({error}), so the step does not happen")
        finally:
            # By the thread that uses it: elsewhere its number could be another file by now.
            self._writer.close()

    def _read(self) -> None:
        why = "the server is gone, so the step does not happen"
        try:
            for line in self._reader:
                response = protocol.parse(line)
                with self._lock:
                    number = response.get("id")
                    answer = self._waiting.pop(number, None) if isinstance(number, int) else None
                if answer is not None:
                    answer.set_result(response)
        except (OSError, ValueError) as error:
            why = f"the server cannot be understood ({error}), so the step does not happen"
        self.lose(why)
        self._reader.close()

    def lose(self, why: str) -> None:
        with self._lock:
            if self._lost is not None:
                return
            self._lost = why
            waiting, self._waiting = self._waiting, {}
            self._out.put(None)
        for answer in waiting.values():
            answer.set_exception(Lost(why))
        self._close()


class _Until:
    """The end of a deadline, over all that is done within it."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """How many seconds are left, and at least a moment: who has none is told so by what waits."""
        return max(0.001, self._at - time.monotonic())


class Gate:
    """Where steps are judged. Made by :func:`spawn` and :func:`connect`; several threads may use it."""

    def __init__(
        self,
        open_link: Callable[[], _Link],
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
        #: How many seconds a step may take.
        self.deadline = deadline
        self._added = protocol.Added()
        self._lock = threading.Lock()
        self._is_closed = False
        #: What the host has said that it fires, and that it does.
        self.claims: Dict[str, List[str]] = {key: list(self._hello[key]) for key in ("events", "enforces")}
        #: What the server has said: generation, config_hash, unenforced.
        self.greeting: Dict[str, Any] = {}
        self._link = self._greeted(_Until(deadline))

    def _greeted(self, until: _Until) -> _Link:
        link = self._open_link()
        try:
            self.greeting = link.call("hello", self._hello, until.left())
            for request in self._added.requests():
                link.call("override", request, until.left())
        except BaseException:
            link.lose("the server was not greeted")
            raise
        return link

    def _call(self, method: str, params: Mapping[str, Any], deadline: Optional[float] = None) -> Dict[str, Any]:
        until = _Until(self.deadline if deadline is None else deadline)
        # Another thread may be about to find the server again.
        if not self._lock.acquire(timeout=until.left()):
            raise DeadlinePassed("the server was not found again in time, so the step does not happen")
        try:
            if self._link.is_lost and self._finds_again and not self._is_closed:
                try:
                    self._link = self._greeted(until)
                except OSError as error:
                    raise Lost(f"the server is gone ({error}), so the step does not happen") from error
            link = self._link
        finally:
            self._lock.release()
        return link.call(method, params, until.left())

    def session(self, name: str) -> "Session":
        """A session; it begins with its first step."""
        return Session(self, name)

    def status(self) -> Dict[str, Any]:
        """Which hooks are in force, and what is going on."""
        return self._call("status", {})

    def health(self) -> Dict[str, Any]:
        """Whether the next step would be judged."""
        return self._call("health", {})

    def metrics(self) -> str:
        """Figures as OpenMetrics."""
        return str(self._call("metrics", {})["text"])

    def replace(self, toml: str, if_generation: Optional[int] = None) -> Dict[str, Any]:
        """Puts other hooks in force, where the operator permits it."""
        params: Dict[str, Any] = {"toml": toml}
        if if_generation is not None:
            params["if_generation"] = if_generation
        return self._call("replace", params)

    def close(self) -> None:
        """Ends the connection, with its sessions. Every step that comes later is denied."""
        with self._lock:
            self._is_closed = True
            link = self._link
        link.lose("the gate is closed, so the step does not happen")

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Session:
    """A session of a gate."""

    def __init__(self, gate: Gate, name: str) -> None:
        self._gate = gate
        self.name = name

    def step(self, envelope: Mapping[str, Any], *, deadline: Optional[float] = None) -> "Step":
        """A step that is judged when it is entered: `with session.step({...}) as permit:`."""
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

    def observe(self, envelope: Mapping[str, Any]) -> Dict[str, Any]:
        """Tells of an event that nothing can stop."""
        return self._gate._call("observe", {"session": self.name, "step": dict(envelope)})

    def override(
        self, hooks: Iterable[Mapping[str, Any]] = (), disable: Iterable[str] = ()
    ) -> List[str]:
        """Adds hooks to the session, which may only tighten; takes out those that were added so. Returns their ids."""
        given, taken = [dict(hook) for hook in hooks], list(disable)
        params = {"session": self.name, "hooks": given, "disable": taken}
        added = self._gate._call("override", params)["added"]
        self._gate._added.note(self.name, given, taken)
        return list(added)

    def end(self) -> Dict[str, Any]:
        """Ends the session, with the hooks that were added to it."""
        self._gate._added.forget(self.name)
        return self._gate._call("session.end", {"session": self.name})

    def _answer(self, question: Mapping[str, Any], answer: Any) -> "Step":
        params = {"session": self.name, "question": dict(question), "answer": answer}
        return Step(self, "ask.answer", params, None)


class Step:
    """A step that is judged when it is entered. What is not cleared is raised."""

    def __init__(self, session: Session, method: str, params: Dict[str, Any], deadline: Optional[float]) -> None:
        self._session, self._method, self._params = session, method, params
        self._deadline = deadline
        self._permit: Optional[Permit] = None

    def __enter__(self) -> Permit:
        gate = self._session._gate
        deadline = gate.deadline if self._deadline is None else self._deadline
        params = {**self._params, "deadline_ms": max(1, int(deadline * 1000))}
        judged = gate._call(self._method, params, deadline)
        self._permit = protocol.permit(judged, self._session, self._params.get("answer"))
        return self._permit

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._permit is not None:
            self._permit._end()

    def run(self, action: Callable[[Dict[str, Any]], T]) -> T:
        """Has the step judged, and calls the action with the payload that was judged."""
        with self as permit:
            return permit.run(action)


def spawn(
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
    """Starts a server of this program's own. It ends with the gate. One that is lost stays lost: every step is denied.

    `events` are those that the host has judged or tells of, `enforces` what it does if a verdict asks for it (add `context`
    if it shows the model `permit.context`). If a guard would not be enforced, :class:`Refused` is raised here.
    Without a `program`, that of this package is started, and if it brings none, `hookgate` in the PATH.
    """
    command = [os.fspath(program or find()), "serve", "--stdio", *arguments]
    if config is not None:
        command += ["--config", os.fspath(config)]

    def open_link() -> _Link:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert child.stdin is not None and child.stdout is not None

        def close() -> None:
            threading.Thread(target=_end, args=(child,), daemon=True).start()

        return _Link(io.BufferedReader(cast(io.RawIOBase, child.stdout)), cast(BinaryIO, child.stdin), close)

    return Gate(
        open_link,
        events=events,
        enforces=enforces,
        accept_unenforced=accept_unenforced,
        lost=lost,
        deadline=deadline,
        finds_again=False,
    )


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Waits for a server whose stdin was closed, and ends it if it does not by itself."""
    try:
        child.wait(timeout=END)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def connect(
    path: Path,
    *,
    events: Iterable[str],
    enforces: Iterable[str] = protocol.ENFORCES,
    accept_unenforced: Iterable[str] = (),
    lost: str = "deny",
    deadline: float = 30.0,
) -> Gate:
    """Speaks to a server that listens on a socket (`hookgate serve --socket PATH`). One that was started again is found
    at the next step."""

    def open_link() -> _Link:
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            stream.connect(os.fspath(path))
        except OSError:
            stream.close()
            raise

        def close() -> None:
            # Ends both threads, which close the files.
            try:
                stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

        reader, writer = stream.makefile("rb"), stream.makefile("wb", buffering=0)
        stream.close()
        return _Link(reader, writer, close)  # type: ignore[arg-type]

    return Gate(
        open_link,
        events=events,
        enforces=enforces,
        accept_unenforced=accept_unenforced,
        lost=lost,
        deadline=deadline,
        finds_again=True,
    )
