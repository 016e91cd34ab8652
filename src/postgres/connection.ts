import { Socket } from "node:net";
import type { Client, CustomTypesConfig } from "pg";
import type { Address } from "./address.ts";
import { type Cancellable, cancelStatement } from "./cancel.ts";
import { LostAnswer } from "./errors.ts";

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[];

/** One connection. It runs one statement at a time. */
export interface Connection {
  /** Rejects with the server's own error, or with LostAnswer; the connection is destroyed when the time is over. */
  run<Row>(text: string, values: readonly Value[], limitMs: number): Promise<Row[]>;
  readonly alive: boolean;
  /** Ends it at once; a statement under way ends as LostAnswer. */
  destroy(why: string): void;
  /** Says goodbye to the server. */
  end(): Promise<void>;
}

export interface ConnectOptions {
  address: Address;
  limitMs: number;
  /** Hears once that the connection is gone. */
  gone?: () => void;
  heard?: (channel: string, payload: string) => void;
}

/** The server's `bigint`. Numbers here stay far below 2^53. */
const INT8 = 20;
const NAME = "parley";
const GOODBYE_MS = 500;

export async function connect({ address, limitMs, gone, heard }: ConnectOptions): Promise<Connection> {
  // Loaded with the first connection: without a database nobody pays for it.
  const { Client, types } = await import("pg");
  const numbers: CustomTypesConfig = {
    getTypeParser: ((oid: number, format: "text" | "binary") =>
      oid === INT8 ? Number : types.getTypeParser(oid, format)) as CustomTypesConfig["getTypeParser"],
  };
  const socket = new Socket();
  const client = new Client({
    connectionString: address.url,
    stream: () => socket,
    types: numbers,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: NAME,
  });
  let alive = true;
  let fail: ((error: Error) => void) | undefined;

  function lose(error: Error): void {
    fail?.(error);
    if (!alive) return;
    alive = false;
    socket.destroy();
    gone?.();
  }
  client.on("error", (error) => lose(new LostAnswer(error.message, error)));
  client.on("end", () => lose(new LostAnswer("the connection was closed")));
  if (heard) client.on("notification", ({ channel, payload }) => heard(channel, payload ?? ""));

  /** Ends with the work, or when the connection is lost or the time is over. */
  function limited<T>(work: Promise<T>, ms: number, late: string, giveUp?: () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        giveUp?.();
        lose(new LostAnswer(late));
      }, ms);
      const done = (): void => {
        clearTimeout(timer);
        fail = undefined;
      };
      fail = (error) => {
        done();
        reject(error);
      };
      work.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          reject(error);
        },
      );
    });
  }

  try {
    await limited(client.connect(), limitMs, `no connection within ${limitMs} ms`);
  } catch (thrown) {
    alive = false;
    socket.destroy();
    throw thrown;
  }

  return {
    async run<Row>(text: string, values: readonly Value[], ms: number): Promise<Row[]> {
      if (!alive) throw new LostAnswer("the connection was closed");
      const asked = run<Row>(client, text, values);
      const cancel = (): void => cancelStatement(client as unknown as Cancellable);
      return limited(asked, ms, `no answer within ${ms} ms`, cancel);
    },
    get alive() {
      return alive;
    },
    destroy: (why) => lose(new LostAnswer(why)),
    async end() {
      if (!alive) return;
      alive = false;
      await limited(client.end(), GOODBYE_MS, "no goodbye").catch(() => undefined);
      socket.destroy();
    },
  };
}

/** The one place where SQL and the types of its rows are believed to agree. Statements have no name: pgbouncer gives each to another connection. */
async function run<Row>(client: Client, text: string, values: readonly Value[]): Promise<Row[]> {
  // A list without parameters goes the simple way, which takes several statements at once.
  const { rows } = await (values.length > 0 ? client.query(text, [...values]) : client.query(text));
  return rows as Row[];
}
