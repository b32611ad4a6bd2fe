// Written by `hookgate install --agent opencode`; `hookgate install --agent opencode --remove` takes it away.
// opencode has no hook commands: this plugin starts one for each of its calls, and throws where it must not
// go on. It imports nothing but Node's own modules, since opencode drops a plugin that does not load.
import { spawn } from "node:child_process";

const COMMANDS = {
/*COMMANDS*/
};
const MILLISECONDS = /*MILLISECONDS*/;

// Resolves with what the command wrote to stdout; rejects if it failed or denied, or took too long.
function hook(event, envelope) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", COMMANDS[event]], { stdio: ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("hookgate took too long"));
    }, MILLISECONDS);
    child.stdout.on("data", (data) => (stdout += data));
    child.stderr.on("data", (data) => (stderr += data));
    child.stdin.on("error", () => {});
    child.on("error", (error) => reject(new Error("hookgate did not start: " + error.message)));
    child.on("close", (status) => {
      clearTimeout(late);
      if (status === 0) resolve(stdout);
      else reject(new Error(stderr.trim() || "hookgate ended with " + status));
    });
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...envelope }));
  });
}

// Calls the hook of an event. An answer that cannot be read is an error, and so is every answer but an allow.
async function judge(event, envelope) {
  const text = (await hook(event, envelope)).trim();
  const answer = text === "" ? {} : JSON.parse(text);
  const own = answer.hookSpecificOutput ?? {};
  if (own.permissionDecision !== undefined && own.permissionDecision !== "allow") {
    throw new Error(own.permissionDecisionReason || "denied by hookgate");
  }
  if (answer.decision === "block" || answer.continue === false) {
    throw new Error(answer.reason || answer.stopReason || "denied by hookgate");
  }
  return own;
}

// Calls the hook of an event at which nothing can be denied.
async function tell(event, envelope) {
  if (!(event in COMMANDS)) return {};
  try {
    return await judge(event, envelope);
  } catch (error) {
    console.error(error.message);
    return {};
  }
}

export const Hookgate = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const own = await judge("tool.execute.before", {
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_use_id: input.callID,
      tool_input: output.args,
    });
    // The object itself is what opencode goes on with: its keys are changed, it is not replaced.
    if (own.updatedInput) {
      for (const key of Object.keys(output.args)) delete output.args[key];
      Object.assign(output.args, own.updatedInput);
    }
  },
});
