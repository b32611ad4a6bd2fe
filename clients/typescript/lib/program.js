// Where the program is: in the package for this platform, which npm installs beside this one.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The package that has the program for this machine. */
export const PACKAGE = `@hookgate/${process.platform}-${process.arch}`;

/** Returns the path of the program, or null if its package is not installed. */
export function installed() {
  let manifest;
  try {
    manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
  } catch {
    return null;
  }
  return join(dirname(manifest), "bin", process.platform === "win32" ? "hookgate.exe" : "hookgate");
}
