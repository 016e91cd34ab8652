import { messageIds } from "../../../src/client/message-id.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { Random } from "../../support/random.ts";
import type { Book } from "./book.ts";
import { type Pause, pauser } from "./moments.ts";
import type { ChaosNode } from "./node.ts";
import type { Call } from "./records.ts";
import { type Answered, type Asking, ask, isOk, isRefusal } from "./requests.ts";

export interface ClientOptions {
  nodes: readonly ChaosNode[];
  book: Book;
  random: Random;
  /** Ends all clients. */
  signal: AbortSignal;
  /** The longest that a call is repeated. */
  patienceMs: number;
  /** The most sessions that are made. */
  mostSessions: number;
}

/** Clients think for so long between two calls, at most. */
const THINK_MS = 250;

const PROMPTS = [
  "[[flood 20]]",
  "[[flood 5]] [[slow 10]]",
  "[[slow 20]]",
  "[[child]]",
  "[[ask]] [[slow 4]]",
  "[[flood 60]] [[child]] [[slow 30]]",
  "[[ask]] [[child]]",
];

let made = 0;

/** Clients that create sessions, prompt, rename and cancel through random nodes, and read through others. */
export class Clients {
  private readonly options: ClientOptions;
  private readonly newId = messageIds(Date.now);
  private readonly pause: Pause;

  constructor(options: ClientOptions) {
    this.options = options;
    this.pause = pauser(options.signal);
  }

  /** One client, until the signal. */
  async live(name: string): Promise<void> {
    const { random, signal, book, mostSessions } = this.options;
    while (!signal.aborted) {
      const what = random.next();
      if (book.sessions.length === 0 || (what < 0.2 && book.sessions.length < mostSessions)) await this.create(name);
      else if (what < 0.75) await this.prompt(random.pick(book.sessions), random.pick(PROMPTS));
      else if (what < 0.85) await this.cancel(random.pick(book.sessions));
      else await this.rename(random.pick(book.sessions));
      await this.pause(random.between(0, THINK_MS));
    }
  }

  /** Answers what is asked, through another node than the one that lists it, until the signal. */
  async answer(name: string): Promise<void> {
    const { random, signal, nodes, book } = this.options;
    while (!signal.aborted) {
      const listed = await ask(book, random.pick(nodes).url, { method: "GET", path: "/v1/asks" });
      const asks = listed && isOk(listed) ? (listed.body.asks as { id: string; session: string }[]) : [];
      for (const one of asks) if (random.chance(0.7)) await this.answerOne(name, one);
      await this.pause(random.between(50, THINK_MS));
    }
  }

  /** Creating has no id to repeat it by, so it is asked for once. */
  async create(name: string, { read = true } = {}): Promise<string | undefined> {
    const { random, book, nodes } = this.options;
    const key = `${name} ${++made}`;
    const node = random.pick(nodes);
    const from = book.now();
    const agent = random.chance(0.3) ? "lingers" : "quick";
    const answer = await ask(book, node.url, { method: "POST", path: "/v1/sessions", body: { title: key, agent } });
    const outcome = answer && isOk(answer) ? "ok" : answer && isRefusal(answer) ? "failed" : "unknown";
    const session = outcome === "ok" ? String(answer?.body.id) : undefined;
    book.calls.push({
      kind: "create",
      key,
      outcome,
      node: node.name,
      from,
      to: book.now(),
      ...statusOf(answer),
      ...(session && { session }),
    });
    if (!session) return undefined;
    book.sessions.push(session);
    if (read) await this.read(session, key, node, 1);
    return session;
  }

  async prompt(session: string, text: string, { read = true } = {}): Promise<boolean> {
    const id = this.newId();
    // Some wait for the turn's outcome in the same request, which may be passed on to another node.
    const wait = read && this.options.random.chance(0.2) ? "?wait=true" : "";
    const path = `/v1/sessions/${session}/prompts${wait}`;
    const asking = { method: "POST", path, body: { id, text: `${text} ${id}` } };
    const { call, answer, node } = await this.repeat("prompt", session, id, asking);
    if (call.outcome !== "ok" || !answer) return false;
    const { receipt = answer.body } = answer.body as { receipt?: { seq?: unknown } };
    call.seq = Number(receipt.seq);
    if (read) await this.read(session, id, node, call.seq, (event) => JSON.stringify(event.data).includes(id));
    return true;
  }

  async rename(session: string): Promise<void> {
    const { random, book, nodes } = this.options;
    const key = `title ${++made}`;
    const node = random.pick(nodes);
    const from = book.now();
    const answer = await ask(book, node.url, {
      method: "PATCH",
      path: `/v1/sessions/${session}`,
      body: { title: key },
    });
    const outcome = answer && isOk(answer) ? "ok" : answer && isRefusal(answer) ? "failed" : "unknown";
    book.calls.push({
      kind: "rename",
      session,
      key,
      outcome,
      node: node.name,
      from,
      to: book.now(),
      ...statusOf(answer),
    });
    if (outcome === "ok") await this.read(session, key, node, Number(answer?.body.last));
  }

  async cancel(session: string): Promise<void> {
    const { random, book, nodes } = this.options;
    const node = random.pick(nodes);
    const from = book.now();
    const body = { queue: random.pick(["clear", "keep"]) };
    const answer = await ask(book, node.url, { method: "POST", path: `/v1/sessions/${session}/cancel`, body });
    if (!answer || !isOk(answer) || answer.body.cancelled !== true) return;
    const key = String(answer.body.turn);
    book.calls.push({ kind: "cancel", session, key, outcome: "ok", node: node.name, from, to: book.now() });
  }

  private async answerOne(name: string, { id, session }: { id: string; session: string }): Promise<void> {
    const by = `${name}.${++made}`;
    const asking = {
      method: "POST",
      path: `/v1/sessions/${session}/asks/${id}`,
      body: { outcome: this.options.random.chance(0.8) ? "once" : "reject" },
      headers: { "x-parley-client": by },
    };
    const { call, answer } = await this.repeat("answer", session, by, asking);
    // An answer that was stored although nobody said so is the one that won.
    const won = answer?.body.resolution as { by?: string } | undefined;
    if (call.status === 409 && won?.by === by) call.outcome = "ok";
  }

  /** Asks one node after the other until there is an answer, as our own client does: 503 and silence may mean that it was done. */
  private async repeat(kind: Call["kind"], session: string, key: string, asking: Asking) {
    const { book, random, nodes, patienceMs, signal } = this.options;
    const from = book.now();
    let doubtful = false;
    let node = random.pick(nodes);
    let answer: Answered | undefined;
    for (;;) {
      answer = await ask(book, node.url, asking);
      if (answer && (isOk(answer) || isRefusal(answer))) break;
      doubtful = true;
      if (book.now() - from > patienceMs || signal.aborted) break;
      await this.pause(random.between(50, 500));
      node = random.pick(nodes);
    }
    const refused = answer && isRefusal(answer) && !doubtful;
    const outcome = answer && isOk(answer) ? "ok" : refused ? "failed" : "unknown";
    const call: Call = { kind, session, key, outcome, node: node.name, from, to: book.now(), ...statusOf(answer) };
    book.calls.push(call);
    return { call, answer, node };
  }

  /** Reads through another node whether it knows of an event. Only an answer counts. */
  private async read(
    session: string,
    key: string,
    wrote: ChaosNode,
    seq: number,
    fits: (event: ParleyEvent) => boolean = () => true,
  ): Promise<void> {
    const { book, random, nodes } = this.options;
    const node = random.pick(nodes.filter((one) => one !== wrote));
    const path = `/v1/sessions/${session}/events?after=${seq - 1}&limit=1`;
    const answer = await ask(book, node.url, { method: "GET", path });
    if (!answer || (!isOk(answer) && answer.status !== 404)) return;
    const [event] = isOk(answer) ? (answer.body.events as ParleyEvent[]) : [];
    const sees = event !== undefined && event.seq >= seq && (event.seq > seq || fits(event));
    book.reads.push({ session, key, wrote: wrote.name, node: node.name, sees });
  }
}

function statusOf(answer: Answered | undefined): { status?: number; code?: string } {
  if (!answer) return {};
  const { code } = answer.body;
  return { status: answer.status, ...(typeof code === "string" ? { code } : {}) };
}
