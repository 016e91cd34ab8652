import type { TestContext } from "node:test";
import type { AgentSession, ChildRef, OpenOptions } from "../../../src/agents/contract.ts";
import { createLineProtocolAgent } from "../../../src/agents/line-protocol/agent.ts";
import { type LineProtocolOptions, sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import type { Prompt } from "../../../src/core/events/values.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { makeHost } from "../../host/support.ts";
import { deadline } from "../../support/time.ts";

type Holding<S, T> = S extends { type: infer Types } ? (T extends Types ? S : never) : never;
export type SignalOf<T extends Signal["type"]> = Holding<Signal, T>;

export interface Opened {
  session: AgentSession;
  directory: string;
  /** Signals of the session itself. */
  signals: Signal[];
  children: { child: ChildRef; signal: Signal }[];
  natives: (string | undefined)[];
  all<T extends Signal["type"]>(type: T): SignalOf<T>[];
  /** Resolves with the nth signal of a type, the session's own before those of children. */
  nth<T extends Signal["type"]>(type: T, count: number): Promise<SignalOf<T>>;
  /** Everything said so far in messages, put together. */
  text(): string;
}

type Launch = Partial<Omit<LineProtocolOptions, "host">>;

/** Opens a session with the shipped agent, or another program. */
export async function openAgent(t: TestContext, launch: Launch = {}, open: Partial<OpenOptions> = {}): Promise<Opened> {
  const { host, directory } = await makeHost(t);
  const signals: Signal[] = [];
  const children: Opened["children"] = [];
  const natives: (string | undefined)[] = [];
  const waiting = new Map<() => void, Signal["type"]>();
  const agent = createLineProtocolAgent({ ...sampleAgent(), ...launch, host });

  const all = <T extends Signal["type"]>(type: T): SignalOf<T>[] =>
    signals.filter((signal) => signal.type === type) as SignalOf<T>[];
  const session = agent.open({
    session: "ses_1",
    trusted: false,
    directory,
    emit(signal, native, child) {
      natives.push(native);
      if (child) children.push({ child, signal });
      else signals.push(signal);
      for (const [look, type] of waiting) if (type === signal.type) look();
    },
    ...open,
  });
  return {
    session,
    directory,
    signals,
    children,
    natives,
    all,
    nth: <T extends Signal["type"]>(type: T, count: number) =>
      new Promise<SignalOf<T>>((resolve, reject) => {
        const late = deadline(() => {
          const came = signals.slice(-20).map((signal) => JSON.stringify(signal).slice(0, 200));
          reject(new Error(`expected ${count} signals ${type}; the last that came:\n${came.join("\n")}`));
        });
        const look = (): void => {
          const ofChildren = children.map((one) => one.signal).filter((signal) => signal.type === type);
          const found = [...all(type), ...(ofChildren as SignalOf<T>[])][count - 1];
          if (!found) return;
          waiting.delete(look);
          late[Symbol.dispose]();
          resolve(found);
        };
        waiting.set(look, type);
        look();
      }),
    text: () =>
      all("text")
        .map((signal) => signal.delta)
        .join(""),
  };
}

export const say = (text: string): Prompt => ({ id: "msg_1", parts: [{ type: "text", text }] });

/** Gives a prompt and waits for the end of its turn. */
export async function turn(opened: Opened, text: string): Promise<SignalOf<"turn.finished">> {
  const before = opened.all("turn.finished").length;
  await opened.session.prompt(say(text));
  return opened.nth("turn.finished", before + 1);
}
