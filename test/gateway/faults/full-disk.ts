import { ParleyError } from "../../../src/core/errors.ts";
import type { Log } from "../../../src/log/contract.ts";
import { wrapHolds } from "../../support/wrap-holds.ts";

/** A disk that a test fills and empties; `wrap` is for the rig. */
export class FullDisk {
  full = false;

  readonly wrap = (log: Log): Log =>
    wrapHolds(log, ({ append }) => ({
      append: async (...args) => {
        if (this.full) throw new ParleyError("disk_full", "no space left");
        return append(...args);
      },
    }));
}
