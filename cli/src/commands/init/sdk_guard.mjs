// A guard: it gets each step, and returns a verdict, or nothing for no opinion.
//
// Try it:  echo '{"hook_event_name":"pre_tool_use","tool_name":"Bash",
//                 "tool_input":{"command":"sudo ls"}}' | hookgate eval --hook node-guard --trace
import { deny, run } from "./hookgate.mjs";

run((step) => {
  const { command = "" } = step.tool_input;
  if (command.includes("sudo ")) return deny("no sudo here");
  // Also: ask("…"), context("text for the model"), imported from the SDK as well.
  // `hookgate schema verdict` shows all of it; `hookgate events pre_tool_use` what is legal here.
});
