// What goes over the wire, whichever way it is sent.

import { Answered, Asked, Cancelled, DeadlinePassed, Denied, Halted, Refused } from "./errors.js";
import { Permit } from "./permit.js";

export const PROTOCOL = 1;
const VERSION = "0.1.0";

/** What this package does if a verdict asks for it: everything but showing context to the model, which is up to the host. */
export const ENFORCES = ["deny", "ask", "halt", "patch", "answer"];

/** How many milliseconds longer than the server the client waits: the answer of the server says more. */
export const GRACE = 250;

export function hello(events, enforces, accepted) {
  const sorted = (names) => [...new Set(names)].sort();
  return {
    protocol: PROTOCOL,
    client: { name: "hookgate-typescript", version: VERSION },
    events: sorted(events),
    enforces: sorted(enforces),
    accept_unenforced: sorted(accepted),
  };
}

/** The step of a tool that is to be used; `more` are other fields of the envelope, such as `cwd`. */
export function toolStep(name, input, more = {}) {
  return { hook_event_name: "pre_tool_use", tool_name: name, tool_input: input, ...more };
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the result of a response, or throws what it refuses for. */
export function resultOf({ result, error }) {
  if (error === undefined && isObject(result)) return result;
  if (result !== undefined || !isObject(error)) {
    throw new Refused("the response of the server has neither a result nor an error");
  }
  throw refusal(error);
}

export function refusal(error) {
  const data = isObject(error.data) ? error.data : {};
  if (data.name === "deadline_passed") return new DeadlinePassed(String(error.message));
  return new Refused(String(error.message), String(data.name), isObject(data.more) ? data.more : {});
}

/**
 * Runs the action of a step that goes on. Everything else is thrown, also what is not understood.
 * @param {Record<string, any>} judged
 * @param {(permit: Permit) => any} action
 * @param {Function} answer what the methods of `Asked` call
 */
export function proceed(judged, action, answer) {
  const { verdict, report, step, question } = judged;
  if (!isObject(report)) throw new Refused("the verdict has no record");
  const reason = report.reason || String(verdict);
  switch (verdict) {
    case "pass":
    case "allow":
      if (!isObject(step)) throw new Refused("the verdict has no step that could run");
      if (report.decision !== "allow") throw new Refused("the verdict is another one than its record has");
      return Permit.use(step, report, action);
    case "ask":
      if (!isObject(question) || !isObject(question.request)) throw new Refused("the verdict has no question");
      throw new Asked(reason, report, question, (said, act, options) => answer(question, said, act, options));
    case "halt":
      throw new Halted(reason, report);
    case "answered":
      throw new Answered(report);
    case "cancelled":
      throw new Cancelled(reason, report);
    case "deny":
      throw new Denied(reason, report);
    default:
      throw new Refused(`the server has said \`${verdict}\`, which is no verdict`);
  }
}
