import { ParleyError } from "../../src/core/errors.ts";
import type { Log } from "../../src/log/contract.ts";

/** A disk that a test fills and empties; `wrap` is for the rig. */
export class FullDisk {
  full = false;

  readonly wrap = (log: Log): Log => {
    const { append } = log;
    log.append = async (...args) => {
      if (this.full) throw new ParleyError("disk_full", "no space left");
      return append.apply(log, args);
    };
    return log;
  };
}
