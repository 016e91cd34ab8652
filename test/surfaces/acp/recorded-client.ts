import { createClient } from "../../../src/client/index.ts";
import { type Fields, fieldsIn, isFields, jsonIn, listIn, textIn } from "../../../src/core/json/fields.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { createLazyAcpAgent } from "../../../src/surfaces/acp/lazy-agent.ts";
import { type Recorded, Recordings, textOf } from "../../agents/replay/recording.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestServer } from "../../support/server.ts";
import type { Message } from "./schemas.ts";
import { line, type Stage } from "./stage.ts";

export type Seen = Stage["messages"];

/** The directory of all recordings. */
const PLACE = "/lab/work";

/** What the recorded prompts ask for, in the words of the scripted agent. */
const PROMPTS: readonly [RegExp, string][] = [
  [/^EDITFLOW .*/s, "[[read-edit]]"],
  [/^SLOW .*/s, "[[slow]]"],
];

/** The messages of a recording, one list for each time that its program was started. */
export function connectionsIn(name: string): Seen[] {
  const connections: Seen[] = [[]];
  for (const row of new Recordings("acp-clients").read(name)) {
    if (row.dir === "exit") connections.push([]);
    else if (row.dir === "in" || row.dir === "out") connections.at(-1)?.push(messageIn(row));
  }
  return connections.filter((messages) => messages.length > 0);
}

function messageIn(row: Recorded): Seen[number] {
  return { from: row.dir === "in" ? "client" : "agent", message: jsonIn(textOf(row)) as unknown as Message };
}

const updateIn = ({ params }: Message): Fields => fieldsIn(isFields(params) ? params : {}, "update");

/** The permission requests of the agent, in order. */
const permissionsIn = (seen: Seen): Message[] =>
  seen.flatMap(({ message }) => (message.method === "session/request_permission" ? [message] : []));

/** The states that a client of version 2 is told, with the reasons of those that end a turn. */
export function statesIn(seen: Seen): unknown[] {
  return seen
    .map(({ message }) => updateIn(message))
    .filter(({ sessionUpdate }) => sessionUpdate === "state_update")
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state}: ${stopReason}`));
}

/** All answers to each request of the client: its method, and its error or the reason of a turn's end. */
export function answersIn(seen: Seen): unknown[] {
  const isAnswer = ({ from, message }: Seen[number]): boolean => from === "agent" && message.method === undefined;
  const asked = seen.filter(
    ({ from, message: { id, method } }) => from === "client" && method !== undefined && id !== undefined,
  );
  return asked.map(({ message: { id, method } }) => {
    const answers = seen.filter((one) => isAnswer(one) && one.message.id === id).map(({ message }) => message);
    return [
      method,
      ...answers.map(
        ({ error, result }) => error?.code ?? textIn(isFields(result) ? result : {}, "stopReason") ?? "done",
      ),
    ];
  });
}

/** Whether a client has heard as much as another one: answers, permission requests, states, and words since its last prompt. */
function isAsFar(seen: Seen, other: Seen): boolean {
  const counts = (all: Seen): number[] => {
    const prompted = all.findLastIndex(({ message }) => message.method === "session/prompt");
    const speaks = all.slice(prompted).some(({ message }) => updateIn(message).sessionUpdate === "agent_message_chunk");
    const answers = all.filter(({ from, message }) => from === "agent" && message.method === undefined);
    return [answers.length, permissionsIn(all).length, statesIn(all).length, speaks ? 1 : 0];
  };
  const [one, wanted] = [counts(seen), counts(other)];
  return one.every((count, at) => count >= (wanted[at] ?? 0));
}

/** Sends Parley what a recorded client sent its agent, each message when all has come that the other had heard by then. */
export class RecordedClient {
  readonly #server: TestServer;
  /** Parley's ids of sessions by the recorded ones. */
  readonly #sessions = new Map<string, string>();

  constructor(server: TestServer) {
    this.#server = server;
  }

  /** Resolves with all messages of a connection. */
  async connect(recorded: Seen): Promise<Seen> {
    const seen: Seen = [];
    const wire = line(seen);
    const agent = createLazyAcpAgent({
      client: async () => createClient({ url: this.#server.api.url, name: "recorded" }),
      version: "1.2.3",
      logger: silentLogger,
    });
    const { closed } = agent.connect(wire.agent as never);
    void wire.client.readable.pipeTo(new WritableStream());
    for (const [at, { from, message }] of recorded.entries()) {
      if (from === "agent") continue;
      const before = recorded.slice(0, at);
      await eventually(`what came before ${message.method ?? `the answer ${message.id}`}`, () => isAsFar(seen, before));
      this.#learn(before, seen);
      const sent = message.method === undefined ? this.#answer(message, before, seen) : this.#translated(message);
      if (sent) await wire.raw(sent);
    }
    await eventually("all answers", () => isAsFar(seen, recorded));
    this.#learn(recorded, seen);
    await wire.end();
    await closed;
    return seen;
  }

  /** The ids of requests are the same, so that the answers tell which session is which. */
  #learn(recorded: Seen, seen: Seen): void {
    const sessionOf = ({ message: { result } }: Seen[number]) => textIn(isFields(result) ? result : {}, "sessionId");
    for (const one of recorded) {
      const same = seen.find(
        ({ from, message }) => from === "agent" && !message.method && message.id === one.message.id,
      );
      const [theirs, ours] = [sessionOf(one), same && sessionOf(same)];
      if (one.from === "agent" && theirs !== undefined && ours !== undefined) this.#sessions.set(theirs, ours);
    }
  }

  #translated(message: Message): Message {
    return JSON.parse(JSON.stringify(message), (_, value: unknown) => {
      if (typeof value !== "string") return value;
      const [, words] = PROMPTS.find(([prompt]) => prompt.test(value)) ?? [];
      return words ?? this.#sessions.get(value) ?? value.replace(PLACE, this.#server.directory);
    }) as Message;
  }

  /** The answer to the same permission request, by the kind of its option. Parley asks nothing of files. */
  #answer({ id, result }: Message, recorded: Seen, seen: Seen): Message | undefined {
    const theirs = recorded.findLast(({ from, message }) => from === "agent" && message.method && message.id === id);
    if (theirs === undefined) return undefined;
    const ours = permissionsIn(seen)[permissionsIn(recorded).indexOf(theirs.message)];
    if (ours?.id === undefined) return undefined;
    const optionsOf = ({ params }: Message): Fields[] => listIn(isFields(params) ? params : {}, "options");
    const chosen = textIn(fieldsIn(isFields(result) ? result : {}, "outcome"), "optionId");
    const kind = optionsOf(theirs.message).find(({ optionId }) => optionId === chosen)?.kind;
    const optionId = optionsOf(ours).find((option) => option.kind === kind)?.optionId;
    return { jsonrpc: "2.0", id: ours.id, result: { outcome: { outcome: "selected", optionId } } };
  }
}
