import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventType } from "../../src/core/events/catalog.ts";
import type { EventOf, ParleyEvent } from "../../src/core/events/event.ts";
import type { PendingAsk } from "../../src/gateway/requests.ts";
import { listProcesses, markOf } from "../../src/host/process-scan.ts";
import { instanceOf } from "../../src/server/instance.ts";
import type { ParleyOptions } from "../../src/server/parley.ts";
import type { Script } from "../../src/testing/model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/model/server.ts";
import type { Api } from "./api.ts";
import { assertLaws } from "./laws.ts";
import { type Cleanup, startServer, type TestServer } from "./server.ts";
import type { SseReader } from "./sse.ts";
import { Watcher } from "./watcher.ts";

export type Environment = Record<string, string | undefined>;

/** The program finds its surroundings in Parley's own environment, which in a test is that of the test's process. */
function setEnvironment(t: Cleanup, change: Environment): void {
  for (const [name, value] of Object.entries(change)) {
    const before = process.env[name];
    t.after(async () => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

export interface StageOptions {
  script: Script;
  env?: Environment;
  server?: Partial<ParleyOptions>;
}

interface Parts {
  server: TestServer;
  model: ScriptedModel;
  root: string;
  watcher: Watcher;
  stream: SseReader;
}

/** A home, a project, a scripted model and a server whose agent finds its surroundings by them. */
export async function setStage(
  t: Cleanup,
  agent: string,
  surroundings: (home: string, url: string) => Environment,
  { script, env = {}, server: more }: StageOptions,
): Promise<Parts> {
  const root = mkdtempSync(join(tmpdir(), `parley-${agent}-`));
  for (const name of ["home", "project"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "project", "README.md"), "# Demo\n\nhello\n");
  const model = await startScriptedModel({ script });
  t.after(() => model.close());
  setEnvironment(t, { ...surroundings(join(root, "home"), model.url), ...env });
  const server = await startServer(t, { defaultAgent: agent, ...more });
  // After the server's end: a program that still runs would make its directory anew.
  t.after(async () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  const watcher = new Watcher(server.api);
  await watcher.start();
  const stream = await server.api.stream(null, "?after=0");
  t.after(async () => {
    await watcher.close();
    await stream.close();
  });
  return { server, model, root, watcher, stream };
}

/** A real program in a whole server, with a scripted model, seen by a client of the universal API. */
export abstract class AgentStage {
  readonly server: TestServer;
  readonly model: ScriptedModel;
  /** Where sessions work. */
  readonly directory: string;
  readonly home: string;
  readonly watcher: Watcher;
  readonly stream: SseReader;

  constructor({ server, model, root, watcher, stream }: Parts) {
    this.server = server;
    this.model = model;
    this.directory = join(root, "project");
    this.home = join(root, "home");
    this.watcher = watcher;
    this.stream = stream;
  }

  /** Whether a command line is that of the program while it serves a session. */
  protected abstract serves(command: string): boolean;

  get api(): Api {
    return this.server.api;
  }

  async session(facts: object = {}): Promise<string> {
    return (await this.api.create({ directory: this.directory, ...facts })).id;
  }

  /** The nth event of a type, of any session, past or to come. */
  async nth<T extends EventType>(type: T, count: number, fits: (event: EventOf<T>) => boolean = () => true) {
    let found = 0;
    const seen = new Set<string>();
    const event = await this.stream.event((one) => {
      if (one.type !== type || seen.has(one.id) || !fits(one as unknown as EventOf<T>)) return false;
      seen.add(one.id);
      return ++found === count;
    }, `${type} number ${count}`);
    return event as unknown as EventOf<T>;
  }

  /** Resolves with the open asks when there are so many. */
  async asks(session: string, count = 1): Promise<PendingAsk[]> {
    for (;;) {
      // Counted before the question: what comes while it is answered may be the ask.
      const now = this.stream.events.length;
      const open = await this.api.asks(session);
      if (open.length >= count) return open;
      await this.stream.when(({ events }) => events.length > now, `${count} asks of ${session}`);
    }
  }

  answer(session: string, ask: string, body: object): Promise<unknown> {
    return this.api.expect(200, "POST", `/v1/sessions/${session}/asks/${ask}`, body);
  }

  /** Processes that carry the mark of this server: the program itself and all that it started. */
  processes(): number[] {
    const mark = `${instanceOf(this.server.dataDirectory)}:`;
    return listProcesses()
      .filter(({ pid, zombie }) => !zombie && (markOf(pid) ?? "").startsWith(mark))
      .map(({ pid }) => pid);
  }

  /** Those of them that serve sessions. */
  programs(): number[] {
    return this.processes().filter((pid) => this.serves(commandOf(pid)) && !markOf(pid)?.includes(":discovery:"));
  }

  /** Busy once and idle once for each turn, by the laws, and nothing is left when the server has gone. */
  async close(turns: number): Promise<void> {
    await this.watcher.untilIdle(turns);
    for (const session of new Set(this.stream.events.map((event) => event.session))) {
      assertLaws(session, await this.api.events(session), { final: true });
    }
    this.watcher.assertRight(turns);
    await this.server.stop();
    assert.deepEqual(this.processes(), [], "processes are left");
  }
}

/** The command line of a process. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export function of<T extends EventType>(events: readonly ParleyEvent[], type: T): EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as EventOf<T>[];
}

export function completed(events: readonly ParleyEvent[], kind: string) {
  return of(events, "item.completed").flatMap(({ data }) => (data.item.kind === kind ? [data.item] : []));
}
