import type { Agent, Discovery, NativeSession } from "../agents/contract.ts";
import { messageOf, ParleyError } from "../core/errors.ts";
import type { Trust } from "./trust/contract.ts";

/** So many answers about projects are kept, and so long each. */
const KEPT = 64;
const FRESH_MS = 60_000;

/** The discoveries of agents for directories. A question may start a program, so that answers are kept for a while. */
export class Discoveries {
  private readonly trust: Trust;
  private readonly answers = new Map<string, { at: number; answer: Promise<Discovery> }>();

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

  of(agent: Agent, directory: string | undefined): Promise<Discovery> {
    if (directory === undefined || !agent.discoversProjects) return agent.discover();
    const trusted = this.trust.covering(directory) !== undefined;
    const key = JSON.stringify([agent.name, directory, trusted]);
    const known = this.answers.get(key);
    // The newest is the last: the first is dropped when there are too many.
    this.answers.delete(key);
    const now = performance.now();
    const ask = (): Promise<Discovery> =>
      agent.discover({ directory, trusted }).catch(async (error: unknown) => {
        // A program that cannot be asked about a project is known in general all the same.
        return { ...(await agent.discover()), detail: messageOf(error) };
      });
    const entry = known && now - known.at < FRESH_MS ? known : { at: now, answer: ask() };
    this.answers.set(key, entry);
    entry.answer.catch(() => {
      if (this.answers.get(key) === entry) this.answers.delete(key);
    });
    for (const oldest of [...this.answers.keys()].slice(0, -KEPT)) this.answers.delete(oldest);
    return entry.answer;
  }
}
