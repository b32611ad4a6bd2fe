// JSON as both sides read it alike: what JavaScript would change on its way is refused.

import { Refused } from "./errors.js";

/** Returns the text of a value. What is no JSON, or would become another value, is refused. */
export function encode(value) {
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    throw new Refused(`the step is no JSON: ${error.message}`, "invalid_step");
  }
}

function check(key, value) {
  const wrong = problem(this, key, value);
  if (wrong !== null) throw new TypeError(`\`${key}\` ${wrong}`);
  return value;
}

function problem(holder, key, value) {
  if (!isWellFormed(key)) return "has half a surrogate pair";
  switch (typeof value) {
    case "number":
      if (!Number.isFinite(value)) return "is no number of JSON";
      // From 1e21 on it is written with an exponent, and read as it was.
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) {
        return "is beyond ±(2^53−1), where integers are not exact: send it as a text";
      }
      return null;
    case "string":
      return isWellFormed(value) ? null : "has half a surrogate pair";
    case "undefined":
      return Array.isArray(holder) ? "is undefined" : null;
    case "object":
      return value instanceof Map || value instanceof Set ? "is a Map or a Set" : null;
    case "boolean":
      return null;
    default:
      return `is a ${typeof value}`;
  }
}

function isWellFormed(text) {
  return !/\p{Surrogate}/u.test(text);
}

/**
 * Reads a line. `isExact` says whether every integer in it is the one that was written.
 * @throws {SyntaxError} it is not one JSON value, or a key stands twice
 */
export function decode(text) {
  const value = JSON.parse(text);
  return { value, isExact: scan(text) };
}

/** Goes through a text that is JSON. */
function scan(text) {
  const open = [];
  let isExact = true;
  let isKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      const end = stringEnd(text, at);
      if (isKey) {
        const keys = open[open.length - 1];
        const key = JSON.parse(text.slice(at, end + 1));
        if (keys.has(key)) throw new SyntaxError("a key stands twice");
        keys.add(key);
        isKey = false;
      }
      at = end;
    } else if (sign === "{") {
      open.push(new Set());
      isKey = true;
    } else if (sign === "[") {
      open.push(null);
    } else if (sign === "}" || sign === "]") {
      open.pop();
      isKey = false;
    } else if (sign === ",") {
      isKey = open[open.length - 1] !== null;
    } else if (sign === "-" || (sign >= "0" && sign <= "9")) {
      let end = at + 1;
      while (end < text.length && /[0-9.eE+-]/.test(text[end])) end += 1;
      const number = text.slice(at, end);
      if (!/[.eE]/.test(number) && !Number.isSafeInteger(Number(number))) isExact = false;
      at = end - 1;
    }
  }
  return isExact;
}

/** Returns where the text ends that begins at this quote. */
function stringEnd(text, begin) {
  for (let end = text.indexOf('"', begin + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}
