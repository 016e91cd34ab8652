/** The results of a turn, as clients of the newer half of the API see them. */
export interface NewerTurn {
  /** Everything that `/api/event` said of the session. */
  events: NewerEvent[];
  /** The messages of the session's own stream to a client that comes afterwards. */
  replayed: NewerEvent[];
  history: { data: NewerEvent[]; hasMore: boolean };
  messages: { data: NewerMessage[]; cursor: object };
  context: { data: NewerMessage[] };
  one: unknown;
}

export interface NewerEvent {
  id: string;
  type: string;
  durable?: { seq: number; version: number };
  location?: object;
  data: Record<string, unknown>;
}

interface NewerMessage {
  id: string;
  type: string;
  text?: string;
  finish?: string;
  error?: { type: string };
  time: object;
  content?: { type: string; text?: string; name?: string; state?: Record<string, unknown> & { status: string } }[];
}

function keys(value: object): string {
  return Object.keys(value).sort().join(" ");
}

function contentFacts(at: string, content: NonNullable<NewerMessage["content"]>[number]): string[] {
  const { type, text, name, state } = content;
  const what = type === "tool" ? `tool ${name} ${state?.status}` : type;
  const facts = [`${at} has ${what}`, `keys of ${what}: ${keys(content)}`];
  if (text !== undefined) facts.push(`${at} says: ${text}`);
  if (state) facts.push(`keys of the state of ${what}: ${keys(state)}`);
  return facts;
}

function messageFacts(message: NewerMessage, index: number): string[] {
  const at = `message ${index}`;
  const { type, text, finish, error, content = [], time } = message;
  const ended = error ? " with an error" : "";
  return [
    `${at} is ${type}, its finish ${finish ?? "nothing"}${ended}`,
    `keys of ${type}${ended}: ${keys(message)}`,
    `times of ${type}${ended}: ${keys(time)}`,
    ...(text === undefined ? [] : [`${at} says: ${text}`]),
    ...content.flatMap((part) => contentFacts(at, part)),
  ];
}

const NEXT = "session.next.";

/** The events about one thing, in their order: a text, a call, or the steps of the turn. */
function tracks(events: readonly NewerEvent[]): string[] {
  const found = new Map<string, string[]>();
  for (const { type, data } of events) {
    if (!type.startsWith(NEXT) || type.endsWith(".delta")) continue;
    const kind =
      "callID" in data ? "a call" : "textID" in data ? "a text" : "reasoningID" in data ? "a thought" : "the turn";
    const id = data.callID ?? data.textID ?? data.reasoningID;
    const key = id === undefined ? kind : `${kind} ${String(data.assistantMessageID)} ${String(id)}`;
    found.set(key, [...(found.get(key) ?? []), type.slice(NEXT.length)]);
  }
  return [...found].map(([key, names]) => `${key.split(" ").slice(0, 2).join(" ")}: ${names.join(", ")}`);
}

const shape = ({ type, durable, data }: NewerEvent): string =>
  `${type}${durable ? ` (kept, version ${durable.version})` : ""}: ${keys(data)}`;

/** Facts about a turn without ids and times: the same for every server. */
export function newerFacts({ events, replayed, history, messages, context, one }: NewerTurn): Set<string> {
  const kept = events.filter(({ durable, type }) => durable && type.startsWith(NEXT));
  const ids = (list: readonly { id: string }[]): string => list.map(({ id }) => id).join(" ");
  const numbers = history.data.map(({ durable }) => durable?.seq ?? 0);
  const oldestFirst = messages.data.toReversed();
  return new Set([
    ...events.map((event) => `event ${shape(event)}`),
    ...tracks(events),
    `every event says where: ${events.every(({ location }) => location !== undefined)}`,
    `the history is what was told and kept: ${ids(history.data) === ids(kept)}`,
    `the history has more: ${history.hasMore}`,
    `a late reader of the session's stream gets the history: ${ids(replayed) === ids(history.data)}`,
    `numbers grow: ${numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))}`,
    `events of the history say where: ${history.data.some(({ location }) => location !== undefined)}`,
    ...oldestFirst.flatMap(messageFacts),
    `the context is the messages, oldest first: ${ids(context.data) === ids(oldestFirst)}`,
    `cursors: ${keys(messages.cursor)}`,
    `the newest message by its id is the same: ${JSON.stringify(one) === JSON.stringify({ data: messages.data[0] })}`,
  ]);
}
