// The two ways to a server.

import { spawn as start } from "node:child_process";
import { createConnection } from "node:net";

import { Lost } from "./errors.js";
import { Gate } from "./gate.js";
import { Link } from "./link.js";
import { PACKAGE, installed } from "./program.js";
import { ENFORCES } from "./wire.js";

/** How many milliseconds a server may take to end. */
const END = 15_000;

const DEFAULTS = { enforces: ENFORCES, acceptUnenforced: [], lost: "deny", deadlineMs: 30_000 };

/** Starts a server of this program's own. It ends with the gate. One that is lost stays lost: every step is denied. */
export function spawn(config, { program, args = [], ...options }) {
  const named = config === null || config === undefined ? [] : ["--config", String(config)];
  const line = ["serve", "--stdio", ...args, ...named];
  return Gate.opened(() => started(program ?? installed(), line), false, { ...DEFAULTS, ...options });
}

/** Starts the program that is given, or else the one that the PATH has. */
function started(given, line) {
  const program = given ?? "hookgate";
  const missing = given === null ? `, and the package ${PACKAGE}, which has it, is not installed` : "";
  return new Promise((resolve, reject) => {
    const child = start(program, line, { stdio: ["pipe", "pipe", "inherit"] });
    const exited = new Promise((done) => child.once("close", () => done()));
    child.once("error", (cause) => reject(new Lost(`\`${program}\` cannot be started (${cause.message})${missing}`, { cause })));
    child.once("spawn", () => {
      const end = () => {
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), END);
        return exited.finally(() => clearTimeout(timer));
      };
      resolve(new Link(child.stdout, child.stdin, end));
    });
  });
}

/** Speaks to a server that listens on a socket. One that was started again is found at the next step. */
export function connect(path, options) {
  return Gate.opened(() => connected(path), true, { ...DEFAULTS, ...options });
}

function connected(path) {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: String(path) });
    const failed = (cause) => reject(new Lost(`nobody listens on \`${path}\` (${cause.message})`, { cause }));
    socket.once("error", failed);
    socket.once("connect", () => {
      const closed = new Promise((done) => socket.once("close", () => done()));
      const end = () => {
        socket.destroy();
        return closed;
      };
      const link = new Link(socket, socket, end);
      socket.off("error", failed);
      resolve(link);
    });
  });
}
