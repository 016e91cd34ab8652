import type { Address } from "./address.ts";
import { type Connection, connect } from "./connection.ts";
import { ANSWER_MS } from "./lines.ts";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
const CONNECT_MS = 3_000;

export interface Listening {
  /** Whether notifications can come now, as far as this side knows. */
  readonly up: boolean;
  /** Connections now: one, or none. */
  connections(): number;
  /** Gives up the connection and makes another: for one that seems to be dead. */
  renew(why: string): void;
  stop(): Promise<void>;
}

export interface ListenHandler {
  heard(payload: string): void;
  /** Listening has begun, or begun anew: what was told in between is lost. */
  up?(): void;
  down?(): void;
}

/** Listens to a channel by a connection of its own, and begins anew whenever that is lost. */
export function listen(address: Address, channel: string, handler: ListenHandler, sent?: () => void): Listening {
  let connection: Connection | undefined;
  let up = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;

  function again(): void {
    if (up) handler.down?.();
    up = false;
    connection = undefined;
    if (stopped) return;
    timer = setTimeout(begin, pause);
    timer.unref();
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }

  async function begin(): Promise<void> {
    timer = undefined;
    let current: Connection | undefined;
    const gone = (): void => {
      if (connection !== undefined && connection === current) again();
    };
    const heard = (told: string, payload: string): void => {
      if (told === channel && !stopped) handler.heard(payload);
    };
    try {
      current = await connect({ address, limitMs: CONNECT_MS, gone, heard });
      sent?.();
      await current.run(`LISTEN "${channel}"`, [], ANSWER_MS);
    } catch {
      current?.destroy("it could not listen");
      return again();
    }
    if (stopped) return current.end();
    if (!current.alive) return again();
    connection = current;
    up = true;
    pause = FIRST_PAUSE_MS;
    handler.up?.();
  }

  const begun = begin();

  return {
    get up() {
      return up;
    },
    connections: () => (connection ? 1 : 0),
    renew: (why) => connection?.destroy(why),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await begun;
      await connection?.end();
    },
  };
}
