// What adapters share: permits that are kept open, and what is made of values.

import { Asked } from "../index.js";

/** A gate that claims more than the adapter does is refused. */
export function checkClaims(gate, claims, ask, also) {
  const { events, enforces } = gate.claims;
  const own = new Set([...claims.events, ...claims.enforces, ...also, ...(ask === null ? [] : ["ask"])]);
  const more = [...events, ...enforces].filter((name) => !own.has(name));
  if (more.length > 0) {
    throw new TypeError(
      `the gate says that it enforces ${more.join(", ")}, which this adapter does not do: make the gate with the CLAIMS of` +
        " the adapter, and name in `also` the events that you have judged yourself",
    );
  }
}

/** Has a step judged, and lets `ask` answer. Resolves to the permit, which is open until `end` is called. */
export function opened(judge, ask) {
  return new Promise((resolve, reject) => {
    const cleared = (permit) => new Promise((end) => resolve({ permit, end }));
    judge(cleared).catch(async (error) => {
      if (!(error instanceof Asked) || ask === null) throw error;
      const answer = await ask(error);
      const why = typeof answer === "string" ? answer : "a person has refused it";
      resolve(await opened((action) => (answer === true ? error.approve(action) : error.reject(why)), ask));
    }).catch(reject);
  });
}

/** What a tool gives that gives several outputs: nobody sees those before, since they are not judged. */
export async function last(output) {
  if (typeof output?.[Symbol.asyncIterator] !== "function") return output;
  let value;
  for await (value of output);
  return value;
}

/** The value as JSON. What has none is judged as text. */
export function plain(value) {
  try {
    return JSON.parse(JSON.stringify(value ?? null));
  } catch {
    return String(value);
  }
}
