import type { Membership } from "../../cluster/membership.ts";
import type { Logger } from "../../core/logger.ts";
import type { Gateway } from "../../gateway/gateway.ts";

export interface DrainOptions {
  membership: Membership;
  gateway: Pick<Gateway, "letGo" | "load">;
  logger: Logger;
  /** How long turns are waited for. */
  limitMs: number;
  /** All turns are over, or the time is: the server may stop. */
  done(): void;
}

const LOOK_MS = 500;

/** Takes no new sessions, gives idle ones up, and waits for open turns. Resolves when the other nodes know; `done` follows. */
export async function drainNode({ membership, gateway, logger, limitMs, done }: DrainOptions): Promise<void> {
  if (membership.isDraining) return;
  await membership.drain();
  logger.warn(
    { node: membership.name, turns: gateway.load.turns },
    "this node drains: it takes no new sessions, and stops when its turns are over",
  );
  const until = performance.now() + limitMs;
  const look = async (): Promise<void> => {
    await gateway.letGo();
    const { sessions, turns } = gateway.load;
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
