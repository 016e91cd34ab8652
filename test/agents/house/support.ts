import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { LanguageModel } from "ai";
import type { Agent } from "../../../src/agents/contract.ts";
import { createHouseAgent } from "../../../src/agents/house/agent.ts";
import { DEMO, findModels, type Models } from "../../../src/agents/house/model/models.ts";
import type { HouseOptions } from "../../../src/agents/house/options.ts";
import type { EventType } from "../../../src/core/events/catalog.ts";
import type { EventOf, ParleyEvent } from "../../../src/core/events/event.ts";
import type { Item, ToolCallItem } from "../../../src/core/events/items.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";
import type { Log } from "../../../src/log/contract.ts";
import { TrustStore } from "../../../src/server/trust/trust-store.ts";
import { ended, gatewayOn, type Rig, rig, text } from "../../gateway/rig.ts";

type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
export type CallOptions = Parameters<Model["doStream"]>[0];
export type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

const USAGE = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
};

export const say = (words: string, id = "0"): Part[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: words },
  { type: "text-end", id },
];

export const call = (toolName: string, input: unknown = {}, toolCallId = `${toolName}-call`): Part[] => [
  { type: "tool-input-start", id: toolCallId, toolName },
  { type: "tool-input-delta", id: toolCallId, delta: JSON.stringify(input) },
  { type: "tool-input-end", id: toolCallId },
  { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) },
];

export const finish = (unified: "stop" | "tool-calls" | "length" | "content-filter" = "stop"): Part => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage: USAGE,
});

export type Reply = Part[] | ((options: CallOptions) => AsyncIterable<Part> | Iterable<Part>);

/** A model in this process that gives one reply for each call, and remembers what it was asked. */
export function playing(...replies: Reply[]): { model: Model; asked: CallOptions[] } {
  const asked: CallOptions[] = [];
  const model: Model = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "played",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    async doStream(options) {
      const reply = replies[asked.length] ?? say("There is no reply left.");
      asked.push(options);
      const parts = Array.isArray(reply) ? reply : reply(options);
      const source = (async function* () {
        yield* parts;
        if (Array.isArray(reply) && !reply.some(({ type }) => type === "finish")) {
          yield finish(reply.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop");
        }
      })();
      const stream = new ReadableStream<Part>({
        async pull(controller) {
          const { done, value } = await source.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
      return { stream };
    },
  };
  return { model, asked };
}

/** The results that a model was shown in a call, by the tool's name. */
export function resultsIn(options: CallOptions | undefined): Record<string, string> {
  const parts = options?.prompt.flatMap((message) => (message.role === "tool" ? message.content : [])) ?? [];
  return Object.fromEntries(
    parts.flatMap((part) =>
      part.type === "tool-result" && "value" in part.output ? [[part.toolName, String(part.output.value)]] : [],
    ),
  );
}

export interface HouseRig extends Rig {
  /** Where the agent works. */
  work: string;
  session: string;
  /** Gives a prompt and resolves with the turn's events when it is over and lawful. */
  turn(prompt: string): Promise<ParleyEvent[]>;
  /** Gives a prompt and resolves with its turn. */
  start(prompt: string, extra?: object): Promise<string>;
  /** The first open ask, when there is one. */
  asked(): Promise<EventOf<"permission.requested"> | EventOf<"question.requested">>;
  over(turn: string): Promise<ParleyEvent[]>;
}

export interface RigOptions extends Partial<Omit<HouseOptions, "models">> {
  models?: Models;
  model?: LanguageModel;
  mode?: string;
  /** The user trusts the directory. */
  trusted?: boolean;
  wrap?: (log: Log) => Log;
}

export async function workDirectory(t: TestContext): Promise<string> {
  const work = await realpath(await mkdtemp(join(tmpdir(), "parley-house-")));
  t.after(() => rm(work, { recursive: true, force: true }));
  return work;
}

/** Retries as often as usual, without the waits. */
const EAGER = { attempts: 4, baseMs: 1, maxMs: 5, patienceMs: 50 };

export function houseAgent(options: RigOptions, runDirectory: string) {
  const { model, models = findModels({}), mode: _, wrap: __, trusted: ___, ...rest } = options;
  const host = createProcessHost({ runDirectory, instance: "house-test" });
  const used: Models = model ? { ...findModels({}), find: () => DEMO, load: async () => model } : models;
  return createHouseAgent({ host, retry: EAGER, ...rest, models: used });
}

/** The house agent behind a gateway, in a directory of its own, with one session. */
export async function houseRig(t: TestContext, options: RigOptions = {}): Promise<HouseRig> {
  const work = await workDirectory(t);
  const agent = houseAgent(options, await workDirectory(t));
  const trust = new TrustStore({ configured: options.trusted ? [work] : [] });
  const agents = new Map([["house", agent]]);
  const made = await rig(t, { agents, defaultAgent: "house", trust, wrap: options.wrap });
  const { gateway } = made;
  const { id: session } = await gateway.create({ directory: work, mode: options.mode });
  let seen = 0;
  const over = async (turn: string): Promise<ParleyEvent[]> => {
    await made.until(session, (event) => event.type === "turn.ended" && event.turn === turn);
    const events = await made.assertLawful(session);
    return events.filter((event) => event.turn === turn);
  };
  const start = async (prompt: string, extra: object = {}): Promise<string> => {
    const receipt = await gateway.prompt(session, text(prompt, extra));
    if (!receipt.turn) throw new Error("expected the prompt to begin a turn");
    return receipt.turn;
  };
  return {
    ...made,
    work,
    session,
    start,
    over,
    turn: async (prompt) => over(await start(prompt)),
    async asked() {
      const found = await made.until(
        session,
        (event) => /^(permission|question)\.requested$/.test(event.type) && event.seq > seen,
      );
      seen = found.seq;
      return found as EventOf<"permission.requested"> | EventOf<"question.requested">;
    },
  };
}

/** Parley stops and comes back with the same log; then a prompt is given and its turn waited for. */
export async function afterRestart(made: HouseRig, agent: Agent, prompt: string): Promise<void> {
  await made.gateway.shutdown();
  const agents = new Map([["house", agent]]);
  const second = gatewayOn(made.log, made.directory, { agents, defaultAgent: "house" });
  await second.tenure.recover();
  const { turn } = await second.prompt(made.session, text(prompt));
  await made.until(made.session, (event) => ended(event) && event.turn === turn);
  await made.assertLawful(made.session);
  await second.shutdown();
}

export function ofType<T extends EventType>(events: readonly ParleyEvent[], type: T): EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as EventOf<T>[];
}

export function completed<K extends Item["kind"]>(
  events: readonly ParleyEvent[],
  kind: K,
): Extract<Item, { kind: K }>[] {
  return ofType(events, "item.completed")
    .map((event) => event.data.item)
    .filter((item): item is Extract<Item, { kind: K }> => item.kind === kind);
}

export function calls(events: readonly ParleyEvent[]): ToolCallItem[] {
  return completed(events, "tool_call");
}

/** The assistant's text at the end, without the parts that were taken back. */
export function answers(events: readonly ParleyEvent[]): string[] {
  return completed(events, "message").flatMap(({ role, status, text = "" }) =>
    role === "assistant" && status === "completed" ? [text] : [],
  );
}

export function endOf(events: readonly ParleyEvent[]): EventOf<"turn.ended">["data"] {
  const [end, ...more] = ofType(events, "turn.ended");
  if (!end || more.length > 0) throw new Error("expected one end of the turn");
  return end.data;
}
