import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { register } from "../../../src/cluster/node-rows.ts";
import type { EventData, EventType } from "../../../src/core/events/catalog.ts";
import type { Draft } from "../../../src/core/events/event.ts";
import type { SessionStore } from "../../../src/gateway/session/session-store.ts";
import type { storePatiently } from "../../../src/gateway/session/store-patiently.ts";
import type { Entry, Hold } from "../../../src/log/contract.ts";
import type { createPostgresLog, PostgresLog } from "../../../src/log/postgres/log.ts";
import type { tailAll } from "../../../src/log/tail.ts";
import { readAddress } from "../../../src/postgres/address.ts";
import { connect } from "../../../src/postgres/connection.ts";
import type { openDatabase } from "../../../src/postgres/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type PostgresServer, sharedPostgres } from "../../support/postgres.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { PATIENCE_MS } from "../../support/time.ts";
import { Book } from "../chaos/book.ts";
import { checkRecords } from "../chaos/check/run.ts";
import type { Violation } from "../chaos/records.ts";
import { audit, readTables } from "../chaos/tables.ts";
import type { Way } from "./ways.ts";

/** The parts of a checkout that a scenario uses. */
interface Source {
  openDatabase: typeof openDatabase;
  createPostgresLog: typeof createPostgresLog;
  register: typeof register;
  tailAll: typeof tailAll;
  SessionStore: typeof SessionStore;
  storePatiently: typeof storePatiently;
}

async function loadSource(root: string): Promise<Source> {
  const load = (file: string): Promise<object> => import(pathToFileURL(join(root, "src", file)).href);
  const files = ["postgres/database.ts", "log/postgres/log.ts", "cluster/node-rows.ts", "log/tail.ts"];
  const gateway = ["gateway/session/session-store.ts", "gateway/session/store-patiently.ts"];
  return Object.assign({}, ...(await Promise.all([...files, ...gateway].map(load)))) as Source;
}

export interface LogNode {
  name: string;
  log: PostgresLog;
  number: number;
  toDatabase: TcpProxy;
}

/** Appends of a node wait right before their commit for as long as somebody holds its gate. */
const GATE = `
CREATE FUNCTION chaos_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock_shared(7421, hashtext(current_setting('application_name')));
  RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER chaos_gate AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION chaos_gate();
`;

let clock = 1_000;

/** Logs of several nodes in this process, on one database. */
export class LogStage {
  readonly book = new Book();
  readonly source: Source;
  private readonly server: PostgresServer;
  private readonly database: string;
  private readonly closers: (() => Promise<void>)[] = [];

  private constructor(source: Source, server: PostgresServer, database: string) {
    this.source = source;
    this.server = server;
    this.database = database;
  }

  static async start(root: string): Promise<LogStage> {
    const source = await loadSource(root);
    const server = await sharedPostgres();
    const database = await server.createDatabase();
    await (await source.openDatabase({ url: server.url(database) })).close();
    await audit(server, database);
    await server.sql(database, GATE);
    return new LogStage(source, server, database);
  }

  sql<Row>(text: string): Promise<Row[]> {
    return this.server.sql<Row>(this.database, text);
  }

  /** A node whose lease is long. `deaf`: it hears no notification. */
  async node(name: string, { deaf = false } = {}): Promise<LogNode> {
    const { openDatabase, createPostgresLog, register } = this.source;
    const [toDatabase, toListen] = [await TcpProxy.start(this.server.port), await TcpProxy.start(this.server.port)];
    if (deaf) toListen.refuse();
    const url = ({ port }: TcpProxy): string => `${this.server.url(this.database, { port })}?application_name=${name}`;
    const database = await openDatabase({ url: url(toDatabase), listenUrl: url(toListen) });
    const number = await register(database, { directory: name, name, place: "here", version: "1" }, 3_600_000);
    const log = await createPostgresLog({
      database,
      directory: name,
      node: () => number,
      place: "here",
      report: () => {},
    });
    this.closers.push(async () => {
      await log.close();
      await database.close();
      await Promise.all([toDatabase.close(), toListen.close()]);
    });
    return { name, log, number, toDatabase };
  }

  /** Says that a node is dead, by its own name. */
  async bury({ name, number }: LogNode): Promise<void> {
    await this.sql(`SET application_name = '${name}'; UPDATE nodes SET dead = true WHERE node = ${number}`);
  }

  /** Holds the appends of a node right before their commit. Resolves with the function that lets them go. */
  gate({ name }: LogNode): Promise<() => Promise<void>> {
    return this.lock(`7421, hashtext('${name}')`);
  }

  /** Has no append get its place in the order. Resolves with the function that lets them have it. */
  holdOrder(): Promise<() => Promise<void>> {
    return this.lock("7420, 1");
  }

  private async lock(what: string): Promise<() => Promise<void>> {
    const connection = await connect({ address: readAddress(this.server.url(this.database)), limitMs: PATIENCE_MS });
    await connection.run("BEGIN", [], PATIENCE_MS);
    await connection.run(`SELECT pg_advisory_xact_lock(${what})`, [], PATIENCE_MS);
    return () => connection.end();
  }

  /** Resolves when a statement of a node waits for another one. */
  async waits({ name }: LogNode): Promise<void> {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}' AND wait_event_type = 'Lock'`;
    await eventually(`${name} waits`, async () => (await this.sql(sql)).length > 0);
  }

  /** Creates a session by a node's log. */
  async create({ log, name }: LogNode, session: string): Promise<Hold> {
    const hold = await log.open({ id: session });
    await hold.append(0, [{ draft: started(session) }]);
    this.acknowledged("create", session, session, name);
    return hold;
  }

  /** Appends one event by a hold, and notes how that ended. `fenced` is a refusal; any other is a surprise. */
  async write({ kind, draft }: Way, { name }: LogNode, hold: Hold, after: number, text: string): Promise<void> {
    try {
      await hold.append(after, [{ draft: draft(text) }]);
      this.acknowledged(kind, hold.session, text, name);
    } catch (error) {
      const fenced = error instanceof Error && "code" in error && error.code === "fenced";
      if (!fenced) this.book.surprises.push(`${name} could not ${kind} in ${hold.session}: ${String(error)}`);
      this.book.calls.push({ ...this.call(kind, hold.session, text, name), outcome: "failed" });
    }
  }

  private call(kind: "create" | Way["kind"], session: string, key: string, node: string) {
    return { kind, session, key, node, from: 0, to: 0 } as const;
  }

  acknowledged(kind: "create" | Way["kind"], session: string, key: string, node: string): void {
    this.book.calls.push({ ...this.call(kind, session, key, node), outcome: "ok" });
  }

  /** Follows all sessions through a node from the beginning on. Resolves with the function that says how many events came. */
  watch({ log, name }: LogNode): () => number {
    const watch = this.book.watch(`a client of ${name}`, 0);
    const sink = {
      write: (records: readonly { session: string; seq: number; position: number }[]) =>
        void watch.events.push(...records.map(({ session, seq, position }) => ({ session, seq, position }))),
      gap: () => undefined,
      failed: (error: unknown) => void this.book.surprises.push(`the stream of ${name} failed: ${String(error)}`),
    };
    const { close } = this.source.tailAll(log, { after: 0 }, sink);
    this.closers.unshift(async () => close());
    return () => watch.events.length;
  }

  /** Closes all, and says what is wrong. */
  async finish(): Promise<Violation[]> {
    for (const close of this.closers.splice(0)) await close();
    const tables = await readTables(this.server, this.database);
    const limits = { leaseMs: Number.POSITIVE_INFINITY, openMs: Number.POSITIVE_INFINITY, agentMs: 0 };
    return checkRecords(this.book.records(tables), limits);
  }
}

/** An event of a type, one millisecond after the one before. */
export function drafted<T extends EventType>(type: T, data: EventData[T]): Draft {
  const turn = /^(turn|item|step)\./.test(type) ? { turn: "trn_1" } : {};
  return { type, time: ++clock, source: "parley", data, ...turn } as Draft;
}

export const entryOf = (draft: Draft): Entry => ({ draft });

const started = (title: string): Draft =>
  drafted("session.started", { agent: "scripted", directory: "/", title, version: 1 });

export const titled = (title: string): Draft => drafted("session.updated", { title });
