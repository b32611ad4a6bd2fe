"""What a step that goes on is reached through."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, TypeVar

from ._errors import PermitUsed

T = TypeVar("T")


class Permit:
    """A step that was cleared. It is good for one action, inside of its `with`.

    The arguments of the action are those that were judged: hooks may have rewritten them.
    """

    def __init__(self, payload: Dict[str, Any], report: Dict[str, Any]) -> None:
        self._payload = payload
        self._is_open = True
        self._has_run = False
        #: The decision record.
        self.report = report

    @property
    def payload(self) -> Dict[str, Any]:
        """The fields of the step, as they were judged."""
        if not self._is_open:
            raise PermitUsed("the permit has ended with its `with`")
        return self._payload

    @property
    def input(self) -> Any:
        """The arguments of the tool, as they were judged."""
        return self.payload["tool_input"]

    @property
    def context(self) -> List[str]:
        """Texts of hooks for the model."""
        return list(self.report.get("context", []))

    @property
    def messages(self) -> List[str]:
        """Texts of hooks for the user."""
        return list(self.report.get("messages", []))

    def run(self, action: Callable[[Dict[str, Any]], T]) -> T:
        """Calls the action with the payload that was judged, once."""
        payload = self.payload
        if self._has_run:
            raise PermitUsed("the action of this permit has run already")
        self._has_run = True
        return action(payload)

    def _end(self) -> None:
        self._is_open = False
