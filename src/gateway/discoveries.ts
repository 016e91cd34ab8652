import type { Agent, Discovery, NativeSession } from "../agents/contract.ts";
import { keepNewest } from "../core/entries.ts";
import { messageOf, ParleyError } from "../core/errors.ts";
import type { Trust } from "./trust/contract.ts";

/** So many answers are kept, and those about projects are fresh so long. */
const KEPT = 64;
const FRESH_MS = 60_000;

/** An answer of an agent, or one on its way. */
interface Known {
  at: number;
  answer: Promise<Discovery>;
  /** The agent cannot be used as it is. The user may install it, or log in, at any time. */
  isOfNoUse?: boolean;
}

export interface Look {
  /** As it was told last, where it was told: no program is asked for what is known. */
  kept?: boolean | undefined;
  /** An agent that cannot be used is asked again, also where its answer is young. */
  again?: boolean | undefined;
}

/** The discoveries of agents for directories. A question may start a program, so that answers are kept for a while. */
export class Discoveries {
  private readonly trust: Trust;
  private readonly answers = new Map<string, Known>();
  /** The newest of each that came. */
  private readonly came = new Map<string, Known>();

  constructor({ trust }: { trust: Trust }) {
    this.trust = trust;
  }

  /** The sessions that an agent keeps for a directory. */
  async sessions({ name, sessions }: Agent, directory: string): Promise<NativeSession[]> {
    if (!sessions) throw new ParleyError("unsupported", `agent ${name} does not list its sessions`);
    try {
      return await sessions({ directory, trusted: this.trust.covering(directory) !== undefined });
    } catch (error) {
      throw new ParleyError("unavailable", `agent ${name} could not list its sessions: ${messageOf(error)}`);
    }
  }

  /** The facts known of an agent, in general or for the projects of a directory. */
  of(agent: Agent, directory: string | undefined, { kept = false, again = false }: Look = {}): Promise<Discovery> {
    const place = agent.discoversProjects ? directory : undefined;
    const trusted = place !== undefined && this.trust.covering(place) !== undefined;
    const key = JSON.stringify([agent.name, place, trusted]);
    const came = this.came.get(key);
    const known = this.answers.get(key) ?? came;
    const now = performance.now();
    // An agent that keeps its answers itself is asked each time.
    const isYoung = known !== undefined && place !== undefined && now - known.at < FRESH_MS;
    const isFresh = isYoung && !(again && known.isOfNoUse);
    // An answer on its way may take as long as the start of a program.
    const found = kept ? (came ?? known) : isFresh ? known : undefined;
    if (found) {
      keepNewest(this.answers, key, this.answers.get(key) ?? found, KEPT);
      return found.answer;
    }
    const entry: Known = { at: now, answer: ask(agent, place, trusted) };
    keepNewest(this.answers, key, entry, KEPT);
    entry.answer.then(
      ({ installed, credentials }) => {
        entry.isOfNoUse = !installed || credentials === "missing";
        if ((this.came.get(key)?.at ?? 0) <= entry.at) keepNewest(this.came, key, entry, KEPT);
      },
      // The answer before is better than none.
      () => this.forget(key, entry),
    );
    return entry.answer;
  }

  private forget(key: string, entry: Known): void {
    if (this.answers.get(key) === entry) this.answers.delete(key);
  }
}

async function ask(agent: Agent, directory: string | undefined, trusted: boolean): Promise<Discovery> {
  if (directory === undefined) return agent.discover();
  try {
    return await agent.discover({ directory, trusted });
  } catch (error) {
    // A program that cannot be asked about a project is known in general all the same.
    return { ...(await agent.discover()), detail: messageOf(error) };
  }
}
