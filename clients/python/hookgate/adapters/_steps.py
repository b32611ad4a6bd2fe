"""What the adapters share: a tool is reached through its permit, and what it gives back is judged."""

from __future__ import annotations

import asyncio
import inspect
from collections import OrderedDict
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Iterable, Mapping, Optional, Tuple, Union

from .. import _sync, aio
from .._errors import Asked, Denied
from .._permit import Permit
from ._values import plain

Gate = Union[_sync.Gate, aio.Gate]
Session = Union[_sync.Session, aio.Session]
#: Who answers a question: True approves, a text refuses for this reason, anything else refuses.
Ask = Callable[[Asked], Union[bool, str, None, Awaitable[Union[bool, str, None]]]]

#: How many questions may wait for a person. The oldest goes first, and its step is judged anew.
WAITING = 10_000
REFUSED = "a person has refused it"


class Question:
    """A question that waits for the approval flow of the SDK."""

    def __init__(self, proposed: Any, asked: Asked) -> None:
        self.proposed, self.asked = proposed, asked
        #: Whether the flow of the SDK shows what would run: that is so if no hook has rewritten the step.
        self.is_shown = asked.step.get("tool_input") == proposed[1]


class Steps:
    """The steps of one agent, of whatever SDK. Both kinds of gate will do."""

    def __init__(
        self,
        gate: Gate,
        session: Union[str, Callable[[Any], str]],
        claims: Mapping[str, Iterable[str]],
        ask: Optional[Ask],
        also: Iterable[str],
    ) -> None:
        events = set(gate.claims["events"]) - set(claims["events"]) - set(also)
        enforces = set(gate.claims["enforces"]) - set(claims["enforces"]) - ({"ask"} if ask is not None else set())
        if events or enforces:
            more = ", ".join(sorted(events | enforces))
            raise ValueError(
                f"the gate says that it enforces {more}, which this adapter does not do: make the gate with the CLAIMS of the"
                " adapter, and name in `also` the events that you have judged yourself"
            )
        self._gate, self._session, self._ask = gate, session, ask
        self._waiting: "OrderedDict[Tuple[str, str], Question]" = OrderedDict()

    def session(self, context: Any) -> Session:
        """The session that a step of the SDK belongs to."""
        return self._gate.session(self._session(context) if callable(self._session) else self._session)

    @asynccontextmanager
    async def cleared(self, step: Any, blocking: bool = False) -> AsyncIterator[Permit]:
        """Has the step judged, and lets `ask` answer if there is one. What is not cleared is raised."""
        while True:
            try:
                permit = await self._enter(step, blocking)
                break
            except Asked as asked:
                if self._ask is None:
                    raise
                answer = self._ask(asked)
                if inspect.isawaitable(answer):
                    answer = await answer
                step = asked.approve() if answer is True else asked.reject(answer if isinstance(answer, str) else REFUSED)
        try:
            yield permit
        finally:
            permit._end()

    @staticmethod
    async def _enter(step: Any, blocking: bool) -> Permit:
        if isinstance(step, aio.Step):
            if blocking:
                raise TypeError("an agent that runs without asyncio needs a gate of `hookgate.spawn` or `hookgate.connect`")
            return await step.__aenter__()
        return step.__enter__() if blocking else await asyncio.to_thread(step.__enter__)

    async def output(
        self, session: Session, permit: Permit, output: Any, is_error: bool = False, blocking: bool = False
    ) -> Dict[str, Any]:
        """Has the output of a tool judged. Returns the step as it came back, `tool_response` is the output to use; if it
        is withheld, `Denied` or `Halted` is raised."""
        ran: Dict[str, Any] = {key: permit.payload[key] for key in ("tool_name", "tool_input", "tool_use_id") if key in permit.payload}
        step = {**ran, "hook_event_name": "post_tool_use", "tool_response": plain(output), "is_error": is_error}
        async with self.cleared(session.step(step), blocking) as judged:
            after = dict(judged.payload)
        if after.get("tool_response") == step["tool_response"]:
            after["tool_response"] = output
        return after

    async def prompt(self, session: Session, prompt: str, blocking: bool = False) -> str:
        """Has a prompt judged, and returns the prompt to use. What is not cleared is raised."""
        step = {"hook_event_name": "user_prompt_submit", "prompt": prompt, "source": "user"}
        async with self.cleared(session.step(step), blocking) as permit:
            return str(permit.payload["prompt"])

    def wait(self, session: Session, call: str, proposed: Any, asked: Asked) -> Question:
        """Keeps the question of a call until the SDK comes back with it."""
        question = self._waiting[session.name, call] = Question(proposed, asked)
        while len(self._waiting) > WAITING:
            self._waiting.popitem(last=False)
        return question

    def waiting(self, session: Session, call: str) -> Optional[Question]:
        """The question that waits, of this call."""
        return self._waiting.get((session.name, call))

    def taken(self, session: Session, call: str, proposed: Any) -> Optional[Question]:
        """The question that waits, once, and only if the call is the same that it was asked about."""
        question = self._waiting.pop((session.name, call), None)
        return question if question is not None and question.proposed == proposed else None

    def approved(self, question: Question) -> Any:
        """The step of a question that the SDK says was approved. A person who has seen other arguments has not approved it."""
        if question.is_shown:
            return question.asked.approve()
        return question.asked.reject(
            "a hook has rewritten the step, and the person was shown what it was before: show `asked(...).step`"
        )

    def asked(self, session: Session, call: str) -> Asked:
        """The question of a call, for the person to see; from then on an approval is one of what it shows."""
        question = self.waiting(session, call)
        if question is None:
            raise KeyError(f"no question of `{call}` waits in the session `{session.name}`")
        question.is_shown = True
        return question.asked

    async def reject(self, session: Session, call: str, reason: str) -> str:
        """Answers the question of a call with a no. Returns the reason, for the SDK to tell the model."""
        question = self._waiting.pop((session.name, call), None)
        if question is not None:
            try:
                async with self.cleared(question.asked.reject(reason)):
                    pass
            except Denied:
                pass
        return reason
