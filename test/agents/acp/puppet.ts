import { AcpSession } from "../../../src/agents/acp/session.ts";
import type { OpenOptions } from "../../../src/agents/contract.ts";
import { type Fields, jsonIn } from "../../../src/core/json/fields.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import type { CommandHost, Exit, LineEvents, ProcessHost } from "../../../src/host/contract.ts";

export const SESSION = "sess";

/** A program in this process: it opens a session, and says what it is told to. */
export class Puppet implements ProcessHost, CommandHost {
  readonly written: Fields[] = [];
  readonly #exited = Promise.withResolvers<Exit>();
  readonly #answers: Fields;
  #events: LineEvents | undefined;
  prompt: unknown;

  /** `answers` are results of requests by their methods. */
  constructor(answers: Fields = {}) {
    this.#answers = {
      initialize: { protocolVersion: 1 },
      "session/new": { sessionId: SESSION },
      ...answers,
    };
  }

  spawn(_: unknown, events: LineEvents) {
    this.#events = events;
    const exit = { code: 0, signal: null, stderr: [] };
    const leave = async (): Promise<void> => this.#exited.resolve(exit);
    const [started, exited] = [Promise.resolve(), this.#exited.promise];
    const write = (line: string): Promise<void> => this.write(line);
    return { pid: 1, started, exited, write, endInput: leave, kill: leave, pause() {}, resume() {} };
  }

  /** Takes a line that is written to it. Resolves when it has read the line. */
  write = async (line: string): Promise<void> => this.#take(jsonIn(line) as Fields);

  run(): never {
    throw new Error("no command is run here");
  }

  say(line: string | object, left?: number): void {
    this.#events?.line(typeof line === "string" ? line : JSON.stringify({ jsonrpc: "2.0", ...line }), left);
  }

  /** The newest request of this method that was made of the program. */
  asked(method: string): Fields | undefined {
    return this.written.findLast((line) => line.method === method);
  }

  /** Answers the newest request of this method. */
  answer(method: string, result: object): void {
    this.say({ id: this.asked(method)?.id, result });
  }

  #take(line: Fields): void {
    this.written.push(line);
    const { id, method } = line;
    if (method === "session/prompt") this.prompt = id;
    const result = this.#answers[String(method)];
    if (result !== undefined) queueMicrotask(() => this.say({ id, result }));
  }
}

export interface Opened {
  puppet: Puppet;
  session: AcpSession;
  signals: Signal[];
}

/** A session whose program is a puppet. */
export function openPuppet(
  directory: string,
  onSignal: (signal: Signal, session: AcpSession) => void = () => {},
  more: Partial<OpenOptions> & { answers?: Fields; readyMs?: number } = {},
): Opened {
  const { answers, readyMs, ...open } = more;
  const puppet = new Puppet(answers);
  const signals: Signal[] = [];
  const found = { argv: ["puppet"] } as const;
  const session: AcpSession = new AcpSession(
    {
      host: puppet,
      found,
      env: {},
      title: "Puppet",
      readyMs,
      onPeer() {},
      told: { commands() {}, choices() {} },
    },
    {
      session: "ses",
      directory,
      trusted: true,
      ...open,
      emit(signal) {
        signals.push(signal);
        onSignal(signal, session);
      },
    },
  );
  return { puppet, session, signals };
}
