import type { Membership } from "../../cluster/membership.ts";
import type { Logger } from "../../core/logger.ts";
import type { Tenure } from "../../gateway/tenure.ts";

export interface DrainOptions {
  membership: Membership;
  tenure: Pick<Tenure, "letGo" | "load">;
  logger: Logger;
  /** How long turns are waited for. */
  limitMs: number;
  /** All turns are over, or the time is: the server may stop. */
  done(): void;
}

const LOOK_MS = 500;

/** Takes no new sessions, gives idle ones up, and waits for open turns. Resolves when the other nodes know; `done` follows. */
export async function drainNode({ membership, tenure, logger, limitMs, done }: DrainOptions): Promise<void> {
  if (membership.isDraining) return;
  await membership.drain();
  logger.warn(
    { node: membership.name, turns: tenure.load.turns },
    "this node drains: it takes no new sessions, and stops when its turns are over",
  );
  const until = performance.now() + limitMs;
  const look = async (): Promise<void> => {
    await tenure.letGo();
    const { sessions, turns } = tenure.load;
    if (sessions > 0 && performance.now() < until) {
      setTimeout(() => void look(), LOOK_MS).unref();
      return;
    }
    logger.warn(
      { node: membership.name, turns },
      turns === 0 ? "this node is drained" : "this node stops with open turns: the time for its drain is over",
    );
    done();
  };
  void look();
}
