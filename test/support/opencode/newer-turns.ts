import { eventually } from "../eventually.ts";
import { EventTape, type TapedEvent } from "./event-tape.ts";
import type { NewerEvent, NewerTurn } from "./newer-facts.ts";
import type { SdkV2 } from "./sdk.ts";

export interface Server {
  sdk: SdkV2;
  directory: string;
}

/** The acts of a person while the turn runs. */
export type Act = (type: string, data: Record<string, string>, sdk: SdkV2) => Promise<unknown> | undefined;

export const reply =
  (answer: "once" | "reject"): Act =>
  (type, { id: requestID = "", sessionID = "" }, { v2 }) =>
    type === "permission.v2.asked" ? v2.session.permission.reply({ sessionID, requestID, reply: answer }) : undefined;

export const answer: Act = (type, { id: requestID = "", sessionID = "" }, { v2 }) =>
  type === "question.v2.asked"
    ? v2.session.question.reply({ sessionID, requestID, questionV2Reply: { answers: [["Blue"]] } })
    : undefined;

export const interrupt: Act = (type, { sessionID = "" }, { v2 }) =>
  type === "session.next.text.delta" ? v2.session.interrupt({ sessionID }) : undefined;

const dataOf = (event: TapedEvent): Record<string, string> => event.data as Record<string, string>;

export async function create({ sdk, directory }: Server): Promise<string> {
  const { data } = await sdk.v2.session.create({ location: { directory } });
  return data?.data.id ?? "";
}

/** Native has no event for a turn's end, so that it must be asked for. */
async function idle({ sdk }: Server, sessionID: string): Promise<void> {
  await eventually(
    `${sessionID} is idle`,
    async () => !(sessionID in ((await sdk.v2.session.active()).data?.data ?? {})),
  );
}

/** The events that a late reader of a session's own stream gets: as many as its history has. */
async function replay({ sdk }: Server, sessionID: string, count: number): Promise<NewerEvent[]> {
  const stop = new AbortController();
  const { stream } = await sdk.v2.session.events({ sessionID }, { signal: stop.signal });
  await using tape = new EventTape(stream, stop);
  await tape.until(`${count} events`, () => tape.events.length >= count);
  return tape.events as unknown as NewerEvent[];
}

export async function record(server: Server, prompt: string, act?: Act): Promise<NewerTurn> {
  const { sdk } = server;
  const sessionID = await create(server);
  const stop = new AbortController();
  const { stream } = await sdk.v2.event.subscribe({ signal: stop.signal });
  await using tape = new EventTape(stream, stop);
  await tape.until("server.connected", ({ type }) => type === "server.connected");
  const ours = (event: TapedEvent): boolean => dataOf(event).sessionID === sessionID;
  const acted = act
    ? tape.until("something to act on", (event) => ours(event) && act(event.type, dataOf(event), sdk) !== undefined)
    : undefined;
  await sdk.v2.session.prompt({ sessionID, prompt: { text: prompt } });
  await acted;
  await tape.until(
    "the first step's end",
    (event) => ours(event) && /step\.(ended|failed)|tool\.failed/.test(event.type),
  );
  await idle(server, sessionID);
  const history = (await sdk.v2.session.history({ sessionID, limit: 100 })).data as NewerTurn["history"];
  const last = history.data.at(-1)?.id;
  await tape.until("the last event of the history", (event) => event.id === last);
  const messages = (await sdk.v2.session.messages({ sessionID })).data as unknown as NewerTurn["messages"];
  const messageID = messages.data[0]?.id ?? "";
  return {
    events: tape.events.filter(ours) as unknown as NewerEvent[],
    replayed: await replay(server, sessionID, history.data.length),
    history,
    messages,
    context: (await sdk.v2.session.context({ sessionID })).data as unknown as NewerTurn["context"],
    one: (await sdk.v2.session.message({ sessionID, messageID })).data,
  };
}

export async function say(server: Server, sessionID: string, text: string, act?: Act): Promise<void> {
  const { sdk } = server;
  const stop = new AbortController();
  const { stream } = await sdk.v2.event.subscribe({ signal: stop.signal });
  await using tape = new EventTape(stream, stop);
  await tape.until("server.connected", ({ type }) => type === "server.connected");
  const ours = (event: TapedEvent): boolean => dataOf(event).sessionID === sessionID;
  const acted =
    act &&
    tape.until("something to act on", (event) => ours(event) && act(event.type, dataOf(event), sdk) !== undefined);
  await sdk.v2.session.prompt({ sessionID, prompt: { text } });
  await acted;
  const over = (event: TapedEvent): boolean => ours(event) && dataOf(event).finish === "stop";
  await tape.until("the last step's end", over);
  await idle(server, sessionID);
}
