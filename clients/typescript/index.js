// Have the steps of an agent judged by hookgate before they happen. index.d.ts says what each name is.

export {
  Answered,
  Asked,
  Cancelled,
  DeadlinePassed,
  Denied,
  Halted,
  Lost,
  NotCleared,
  PermitUsed,
  Refused,
} from "./lib/errors.js";
export { connect, spawn } from "./lib/open.js";
export { toolStep } from "./lib/wire.js";
