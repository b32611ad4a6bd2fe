// Lets hookgate judge what OpenCode does. `hookgate install --agent opencode` puts this file in place.
//
// OpenCode has no hook commands, but it calls plugins. For each call this one runs hookgate, gives it one
// JSON object, and does what its answer says. What may not happen is refused by throwing an error. If
// hookgate is missing, takes too long or answers something else, that is a refusal as well.
import { spawn } from "node:child_process";

const COMMAND = ["hookgate", "hook", "--agent", "opencode"]; // replaced
const SECONDS = 60;
const CURE = "run `hookgate doctor` to see why";

// Only these of OpenCode's own events are told of: the others come many times in a second.
const TOLD = ["session.created", "session.compacted", "session.deleted", "session.error"];

// Runs hookgate for one event; resolves to its answer and throws if there is none.
function judge(event, envelope) {
  return new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`hookgate did not judge this: ${why}; ${CURE}`));
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "--event", event], {
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
    });
    const kill = () => {
      try {
        process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
      } catch {}
    };
    const limit = setTimeout(() => {
      kill();
      failed(`it took more than ${SECONDS} s`);
    }, SECONDS * 1000);
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => { out += data; });
    child.stderr.on("data", (data) => { err += data; });
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      clearTimeout(limit);
      failed(error.message);
    });
    let ended = null;
    const finish = () => {
      clearTimeout(limit);
      kill();
      const [code, signal] = ended;
      if (code === 2 && err.trim()) return resolve({ decision: "deny", reason: err.trim() });
      if (code !== 0) return failed(err.trim() || `it ended with ${signal || code}`);
      let said = null;
      try {
        said = JSON.parse(out);
      } catch {}
      if (said === null || !["pass", "deny"].includes(said.decision)) {
        return failed("its answer is no decision");
      }
      resolve(said);
    };
    child.on("exit", (code, signal) => {
      ended = [code, signal];
      // A process that it left behind may keep the pipes open, but not the answer back.
      setTimeout(finish, 500);
    });
    child.on("close", () => ended && finish());
    let text;
    try {
      text = JSON.stringify({ hook_event_name: event, ...envelope });
    } catch (error) {
      kill();
      clearTimeout(limit);
      return failed(error.message);
    }
    child.stdin.end(text);
  });
}

// Returns the answer if it lets the action happen, and throws if not.
async function gate(event, envelope) {
  const said = await judge(event, envelope);
  if (said.decision === "deny") throw new Error(said.reason || "denied by a hook");
  return said;
}

// OpenCode keeps the object that it handed out, so the keys are changed and not the object.
function replace(object, changed) {
  for (const key of Object.keys(object)) if (!(key in changed)) delete object[key];
  for (const key of Object.keys(changed)) object[key] = changed[key];
}

// Puts another text in the place of a result, also where the screen takes it from.
function show(output, text) {
  output.output = text;
  if (output.metadata && "output" in output.metadata) output.metadata.output = text;
}

export const Hookgate = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const said = await gate("tool.execute.before", {
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_use_id: input.callID,
      tool_input: output.args,
    });
    if (said.args) replace(output.args, said.args);
  },
  "tool.execute.after": async (input, output) => {
    let said;
    try {
      said = await judge("tool.execute.after", {
        session_id: input.sessionID,
        cwd: directory,
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args,
        tool_response: output,
      });
    } catch (error) {
      said = { decision: "deny", reason: error.message };
    }
    if (said.decision === "deny") show(output, `The result is withheld: ${said.reason || "denied by a hook"}`);
    else if (typeof said.output === "string") show(output, said.output);
    if (typeof said.context === "string") output.output = `${output.output}\n\n${said.context}`;
  },
  "chat.message": async (input, output) => {
    const said = await gate("chat.message", { session_id: input.sessionID, cwd: directory, input, output });
    const texts = (output.parts || []).filter((part) => part.type === "text");
    if (typeof said.prompt === "string") {
      texts.forEach((part, index) => { part.text = index === 0 ? said.prompt : ""; });
    }
    if (typeof said.context === "string" && texts.length > 0) texts[0].text += `\n\n${said.context}`;
  },
  "permission.ask": async (input, output) => {
    try {
      const said = await judge("permission.ask", { session_id: input.sessionID, cwd: directory, input, output });
      if (said.decision === "deny") output.status = "deny";
      else if (said.status === "allow" || said.status === "ask") output.status = said.status;
    } catch {
      output.status = "deny";
    }
  },
  "experimental.session.compacting": async (input, output) => {
    await judge("experimental.session.compacting", { session_id: input.sessionID, cwd: directory, input, output })
      .catch(() => {});
  },
  event: async ({ event }) => {
    if (TOLD.includes(event.type)) judge("event", { cwd: directory, event }).catch(() => {});
  },
});
