import { deepEqual } from "node:assert/strict";
import type { Fields } from "../../../src/core/json/fields.ts";
import { BIN, type Home } from "../../cli/support.ts";
import { level } from "./differences.ts";
import { type Answerer, type Message, Peer } from "./peer.ts";
import { type Told, toldBy } from "./told.ts";

export type Argv = readonly [string, ...string[]];

const CAPABILITIES = {
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  elicitation: { form: {} },
};

/** What a prompt came to. */
export interface Ended {
  told: Told;
  answer: Message;
}

/** A client of one agent, with one session at a time. */
export class Client implements AsyncDisposable {
  readonly peer: Peer;
  session = "";
  opened: Fields = {};
  #from = 0;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  async open(cwd: string, more: object = {}): Promise<void> {
    this.#from = this.peer.messages.length;
    this.opened = await this.peer.request("session/new", { cwd, mcpServers: [], ...more });
    this.session = String(this.opened.sessionId);
    await this.peer.until("its commands", () => toldBy(this.peer.messages.slice(this.#from)).commands !== undefined);
  }

  /** Gives a prompt; `during` is done when the condition is met. */
  async prompt(prompt: string | object[], during?: { when(told: Told): boolean; act(): void }): Promise<Ended> {
    const from = this.peer.messages.length;
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    const id = this.peer.send("session/prompt", { sessionId: this.session, prompt: blocks });
    if (during) {
      await this.peer.until("the moment", () => during.when(toldBy(this.peer.messages.slice(from))));
      during.act();
    }
    const answer = await this.peer.answered(id);
    const to = this.peer.messages.indexOf(answer);
    return { told: toldBy(this.peer.messages.slice(from, to)), answer };
  }

  /** Has the agent tell the conversation again. */
  async load(cwd: string): Promise<Told> {
    const from = this.peer.messages.length;
    const id = this.peer.send("session/load", { sessionId: this.session, cwd, mcpServers: [] });
    const answer = await this.peer.answered(id);
    if (answer.error) throw new Error(`${answer.error.code} ${answer.error.message}`);
    return toldBy(this.peer.messages.slice(from, this.peer.messages.indexOf(answer)));
  }

  /** The names of the session's commands, as they were told last. */
  get commands(): string[] {
    const about = this.peer.messages.filter(({ params }) => params?.sessionId === this.session);
    return ((toldBy(about).commands ?? []) as { name: string }[]).map(({ name }) => name);
  }

  cancel(): void {
    this.peer.notify("session/cancel", { sessionId: this.session });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.peer[Symbol.asyncDispose]();
  }
}

export interface Pair extends AsyncDisposable {
  native: Client;
  proxied: Client;
}

export interface PairOptions {
  home: Home;
  argv: Argv;
  env: Record<string, string>;
  answer: Answerer;
  cwd?: { native: string; proxied: string };
}

/** The same agent twice: as it is, and behind `parley acp`. */
export async function openPair({ home, argv, env, answer, cwd }: PairOptions): Promise<Pair> {
  const place = cwd ?? { native: home.work, proxied: home.work };
  const given = { env: home.env(env), answer };
  const agent = `acp:${argv.map((word) => `'${word}'`).join(" ")}`;
  const native = new Client(new Peer({ ...given, argv, cwd: place.native }));
  const proxied = new Client(
    new Peer({ ...given, argv: [process.execPath, BIN, "acp", "--agent", agent], cwd: place.proxied }),
  );
  await Promise.all([native.peer.initialize(1, CAPABILITIES), proxied.peer.initialize(1, CAPABILITIES)]);
  await Promise.all([native.open(place.native), proxied.open(place.proxied)]);
  const dispose = async (): Promise<void> => {
    await Promise.all([native[Symbol.asyncDispose](), proxied[Symbol.asyncDispose]()]);
  };
  return { native, proxied, [Symbol.asyncDispose]: dispose };
}

/** Chooses an option by its kind. */
export function choosing(kind: string): Answerer {
  return ({ method, params = {} }) => {
    if (method !== "session/request_permission") return undefined;
    const options = params.options as { optionId: string; kind: string }[];
    const optionId = options.find((one) => one.kind === kind)?.optionId;
    return { outcome: { outcome: "selected", optionId } };
  };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** What a client is told is the same, but for the differences that docs/acp.md lists. */
export function assertSame(native: Told, proxied: Told): void {
  level(native, proxied);
  deepEqual(plain(proxied), plain(native));
}
