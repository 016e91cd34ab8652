import type { Random } from "../../support/random.ts";
import type { Book } from "./book.ts";
import { type Pause, pauser } from "./moments.ts";
import type { ChaosNode } from "./node.ts";
import type { Outcome, StoredSession, Violation } from "./records.ts";
import { ask, isOk, isRefusal } from "./requests.ts";

/** A session that its client deletes, and how that ended for it. */
export interface Doomed {
  session: string;
  outcome: Outcome;
}

export interface DoomedOptions {
  nodes: readonly ChaosNode[];
  book: Book;
  random: Random;
  signal: AbortSignal;
}

/** A client that makes sessions, has some run a turn, and deletes them through another node, until the signal. */
export class Deleter {
  private readonly options: DoomedOptions;
  private readonly pause: Pause;

  constructor(options: DoomedOptions) {
    this.options = options;
    this.pause = pauser(options.signal);
  }

  async live(): Promise<void> {
    const { random, signal } = this.options;
    while (!signal.aborted) {
      await this.one();
      await this.pause(random.between(100, 1_000));
    }
  }

  private async one(): Promise<void> {
    const { book, random, nodes } = this.options;
    const made = await ask(book, random.pick(nodes).url, {
      method: "POST",
      path: "/v1/sessions",
      body: { title: "doomed" },
    });
    if (!made || !isOk(made)) return;
    const session = String(made.body.id);
    const doomed: Doomed = { session, outcome: "failed" };
    book.doomed.set(session, doomed);
    const path = `/v1/sessions/${session}`;
    if (random.chance(0.7))
      await ask(book, random.pick(nodes).url, {
        method: "POST",
        path: `${path}/prompts`,
        body: { text: random.pick(["[[flood 20]]", "[[slow 20]]", "[[ask]]", "[[child]] [[slow 10]]"]) },
      });
    await this.pause(random.between(0, 300));
    const answer = await ask(book, random.pick(nodes).url, { method: "DELETE", path });
    if (answer && isRefusal(answer)) return;
    doomed.outcome = answer && isOk(answer) ? "ok" : "unknown";
    if (doomed.outcome !== "ok") return;
    const read = await ask(book, random.pick(nodes).url, { method: "GET", path });
    if (read && isOk(read)) book.surprises.push(`${session} was deleted, and is shown afterwards`);
  }
}

/** A session whose deletion was acknowledged is gone, and one that nobody deleted is there. */
export function checkDoomed(doomed: readonly Doomed[], sessions: readonly StoredSession[]): Violation[] {
  const there = new Set(sessions.map(({ id }) => id));
  return doomed.flatMap(({ session, outcome }) => {
    if (outcome === "ok" && there.has(session))
      return [{ rule: "deleted", message: `the deletion of ${session} was acknowledged, and it is there` }];
    if (outcome === "failed" && !there.has(session))
      return [{ rule: "deleted", message: `${session} is gone, and its deletion was refused or never asked for` }];
    return [];
  });
}
