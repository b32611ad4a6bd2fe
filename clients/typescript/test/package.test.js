// Promise: the types name what is there, and the package runs nothing when it is installed.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import * as hookgate from "../index.js";
import { Folder } from "./support.js";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const types = read("index.d.ts");

test("the types export what the package does", () => {
  const named = [...types.matchAll(/^export (?:declare )?(?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(hookgate).sort());
});

test("the types of gate, permit and question have their methods", async (t) => {
  const names = (type) => {
    const body = types.match(new RegExp(`^export (?:interface|class) ${type}[ <][^]*?^}`, "m"))[0];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?:<\w+>)?[(:]/gm)].map(([, name]) => name).sort();
  };
  const members = (value) => {
    const own = Object.keys(value);
    const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(value));
    return [...new Set([...own, ...inherited])].filter((name) => name !== "constructor").sort();
  };
  const gate = await new Folder(t).spawn();
  assert.deepEqual(names("Gate"), members(gate));
  await gate.step("s", hookgate.toolStep("Read", {}), (permit) => assert.deepEqual(names("Permit"), members(permit)));
  const asked = await gate.step("s", hookgate.toolStep("Bash", { command: "publish" }), () => {}).catch((error) => error);
  const own = ["approve", "approveWith", "question", "reject", "step"];
  assert.deepEqual(names("Asked"), own);
  for (const name of own) assert.ok(name in asked, name);
});

test("the package needs nothing, builds nothing and runs nothing when it is installed", () => {
  const manifest = JSON.parse(read("package.json"));
  for (const name of ["dependencies", "devDependencies", "optionalDependencies"]) assert.ok(!(name in manifest), name);
  assert.deepEqual(Object.keys(manifest.scripts), ["test"]);
  const within = (folder) => readdirSync(new URL(`../${folder}`, import.meta.url)).map((name) => `${folder}/${name}`);
  for (const file of ["index.js", ...within("bin"), ...within("lib")]) {
    for (const [, from] of read(file).matchAll(/from "([^"]+)"/g)) assert.match(from, /^(node:|\.\.?\/)/, file);
  }
});
