"""What is raised for a step that does not go on."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional


class NotCleared(Exception):
    """The step does not run now. Every other exception of a step is one of these."""

    def __init__(self, reason: str, report: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(reason)
        self.reason = reason
        #: The decision record, if the step was judged.
        self.report = report

    @property
    def by(self) -> List[str]:
        """The hooks that have decided."""
        return list((self.report or {}).get("by", []))


class Denied(NotCleared):
    """The step does not happen."""


class Lost(Denied):
    """The server is gone, so the step does not happen."""


class DeadlinePassed(Denied):
    """The server has not answered in time, so the step does not happen."""


class Refused(Denied):
    """The server has refused the request, or its answer cannot be understood: the step does not happen."""

    def __init__(self, reason: str, name: str = "malformed", more: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(reason)
        #: The name of the error: `unenforced`, `invalid_step`.
        self.name = name
        #: Facts that belong to it.
        self.more: Dict[str, Any] = dict(more) if isinstance(more, Mapping) else {}


class Halted(NotCleared):
    """The step does not happen, and the run ends."""


class Answered(NotCleared):
    """A hook has supplied the result: the step does not run."""

    def __init__(self, answer: Any, report: Dict[str, Any]) -> None:
        super().__init__("a hook has supplied the result", report)
        self.answer = answer


class Asked(NotCleared):
    """A person is asked. What the three methods return is entered, as the step itself: `with asked.approve() as permit:`,
    or `async with` for a step of :mod:`hookgate.aio`."""

    def __init__(self, reason: str, question: Dict[str, Any], report: Dict[str, Any], session: Any) -> None:
        super().__init__(reason, report)
        #: The signed question.
        self.question = question
        self._session = session

    @property
    def step(self) -> Dict[str, Any]:
        """What would run: this is what the person is to see."""
        return dict(self.question["request"]["step"])

    def approve(self) -> Any:
        """The person agrees."""
        return self._session._answer(self.question, "approve")

    def approve_with(self, edit: Mapping[str, Any]) -> Any:
        """The person agrees to other values of these fields; what comes of it is judged again."""
        return self._session._answer(self.question, {"approve_with": dict(edit)})

    def reject(self, reason: str) -> Any:
        """The person does not agree: entering it raises :class:`Denied`."""
        return self._session._answer(self.question, {"reject": reason})


class PermitUsed(Exception):
    """The permit has been used, or its `with` has ended."""
