"""The three forms in which the agents talk to a model, each reduced to what a script needs.

A wire says of a request which tools it offers, how many calls the script has made already, and what
the agent said became of them; and it writes a reply: one call of a tool, or a text. A call has a name, arguments
and a number.
"""
import json


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


def _events(events):
    """Returns a stream of server-sent events."""
    lines = []
    for event in events:
        if isinstance(event, dict) and "type" in event:
            lines.append("event: %s" % event["type"])
        lines.append("data: %s\n" % _text(event))
    return "text/event-stream", "\n".join(lines) + "\n"


def _whole(value):
    return "application/json", json.dumps(value)


class Responses:
    """OpenAI Responses: Codex."""

    ends = ("/responses",)

    @staticmethod
    def tools(body):
        return {tool["name"]: tool.get("parameters") or {} for tool in body.get("tools") or []
                if tool.get("type") == "function"}

    @staticmethod
    def results(body):
        items = body.get("input")
        return [_text(item.get("output")) for item in (items if isinstance(items, list) else [])
                if item.get("type") == "function_call_output"]

    @staticmethod
    def calls(body):
        items = body.get("input")
        return sum(item.get("type") == "function_call" for item in (items if isinstance(items, list) else []))

    @staticmethod
    def reply(body, _path, call, text):
        if call:
            item = {"type": "function_call", "id": "fc_%d" % call[2], "call_id": "call_%d" % call[2], "name": call[0],
                    "arguments": json.dumps(call[1]), "status": "completed"}
        else:
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}
        whole = {"id": "resp_1", "object": "response", "created_at": 0, "model": body.get("model"),
                 "status": "completed", "output": [item],
                 "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12,
                           "input_tokens_details": {"cached_tokens": 0},
                           "output_tokens_details": {"reasoning_tokens": 0}}}
        if not body.get("stream"):
            return _whole(whole)
        return _events([
            {"type": "response.created", "response": dict(whole, status="in_progress", output=[])},
            {"type": "response.output_item.added", "output_index": 0, "item": dict(item, status="in_progress")},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole}])


class Chat:
    """OpenAI Chat Completions: Qwen Code, Copilot, opencode."""

    ends = ("/chat/completions",)

    @staticmethod
    def tools(body):
        functions = [tool.get("function") or {} for tool in body.get("tools") or []]
        return {function.get("name"): function.get("parameters") or {} for function in functions}

    @staticmethod
    def results(body):
        return [_text(message.get("content")) for message in body.get("messages") or []
                if message.get("role") == "tool"]

    @staticmethod
    def calls(body):
        return sum(len(message.get("tool_calls") or []) for message in body.get("messages") or [])

    @staticmethod
    def reply(body, _path, call, text):
        about = {"id": "chat_1", "created": 0, "model": body.get("model")}
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        message = {"role": "assistant", "content": None if call else text}
        if call:
            message["tool_calls"] = [{"index": 0, "id": "call_%d" % call[2], "type": "function",
                                      "function": {"name": call[0], "arguments": json.dumps(call[1])}}]
        end = "tool_calls" if call else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": end}
            return _whole(dict(about, object="chat.completion", choices=[choice], usage=usage))
        about["object"] = "chat.completion.chunk"
        return _events([
            dict(about, choices=[{"index": 0, "delta": message, "finish_reason": None}]),
            dict(about, choices=[{"index": 0, "delta": {}, "finish_reason": end}]),
            dict(about, choices=[], usage=usage),
            "[DONE]"])


class Gemini:
    """The form of Gemini."""

    ends = (":generateContent", ":streamGenerateContent")

    @staticmethod
    def tools(body):
        return {function["name"]: function.get("parametersJsonSchema") or function.get("parameters") or {}
                for tool in body.get("tools") or [] for function in tool.get("functionDeclarations") or []}

    @staticmethod
    def _parts(body):
        return [part for content in body.get("contents") or [] for part in content.get("parts") or []]

    @classmethod
    def results(cls, body):
        return [_text(part["functionResponse"]) for part in cls._parts(body) if "functionResponse" in part]

    @classmethod
    def calls(cls, body):
        return sum("functionCall" in part for part in cls._parts(body))

    @staticmethod
    def reply(_body, path, call, text):
        part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": text}
        whole = {"candidates": [{"index": 0, "finishReason": "STOP",
                                 "content": {"role": "model", "parts": [part]}}],
                 "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12}}
        return _events([whole]) if "stream" in path else _whole(whole)


ALL = (Responses, Chat, Gemini)
