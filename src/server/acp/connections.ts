import type { AgentConnectionLifecycle, AgentConnector } from "@agentclientprotocol/sdk";
import { ParleyError } from "../../core/errors.ts";

/** Each follows its sessions by streams of its own. */
const MAX_CONNECTIONS = 64;

/** The connections to an agent that are open, and how many there may be. */
export class Connections {
  readonly #max: number;
  #open = 0;

  constructor(max = MAX_CONNECTIONS) {
    this.#max = max;
  }

  get open(): number {
    return this.#open;
  }

  assertRoom(): void {
    if (this.#open < this.#max) return;
    throw new ParleyError(
      "unavailable",
      `expected at most ${this.#max} connections at a time, got one more: close one`,
    );
  }

  /** The agent, with its connections counted. */
  counted(agent: AgentConnector): AgentConnector {
    return {
      connect: (stream, options) => {
        const connection = agent.connect(stream, options) as AgentConnectionLifecycle;
        this.#open += 1;
        void connection.closed?.finally(() => {
          this.#open -= 1;
        });
        return connection;
      },
    };
  }
}
