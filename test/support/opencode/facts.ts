import type { TapedEvent } from "./event-tape.ts";

interface Part {
  type: string;
  text?: string;
  tool?: string;
  reason?: string;
  state?: { status: string; input?: Record<string, unknown>; error?: string; metadata?: object };
  [more: string]: unknown;
}

interface Message {
  info: { role: string; finish?: string; error?: { name: string }; [more: string]: unknown };
  parts: Part[];
}

/** The results of a turn, as clients see them. */
export interface Recorded {
  events: TapedEvent[];
  messages: unknown[];
  session: unknown;
  /** Of the directory, when the turn has ended. */
  status: unknown;
  permissions: unknown;
  questions: unknown;
}

function keys(value: object): string {
  return Object.keys(value)
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .sort()
    .join(" ");
}

function partFacts(part: Part, at: string): string[] {
  const name = part.type === "tool" ? `tool ${part.tool} ${part.state?.status}` : part.type;
  const facts = [`keys of ${name}: ${keys(part)}`];
  if (part.text !== undefined) facts.push(`${at} says: ${part.text}`);
  if (part.state) facts.push(`keys of ${name}'s state: ${keys(part.state)}`);
  if (part.state?.metadata) facts.push(`metadata of ${name}: ${keys(part.state.metadata)}`);
  if (part.state?.error) facts.push(`${at} fails: ${part.state.error}`);
  return facts;
}

function messageFacts({ info, parts }: Message, index: number): string[] {
  const at = `message ${index}`;
  const names = parts.map((part) => (part.type === "tool" ? `${part.tool}:${part.state?.status}` : part.type));
  return [
    `${at} is of ${info.role}: ${names.join(", ")}`,
    `${at} ends with ${info.finish ?? "nothing"}${info.error ? ` and ${info.error.name}` : ""}`,
    `keys of a message of ${info.role}${info.error ? " with an error" : ""}: ${keys(info)}`,
    ...parts.flatMap((part, place) => partFacts(part, `${at} part ${place}`)),
  ];
}

function eventName({ type, properties }: TapedEvent): string {
  const status = (properties.status as { type?: string } | undefined)?.type;
  const part = (properties.part as { type?: string } | undefined)?.type;
  return [type, status ?? part].filter(Boolean).join(" ");
}

/** Events that a server may send at any time: their place is not compared. */
const ANY_TIME = new Set(["session.updated", "session.diff", "session.status busy"]);

/** The kinds of events in the order in which each came first, and what must hold at the ends. */
function order(events: readonly TapedEvent[]): string[] {
  const names = events.map(eventName);
  const kinds = [...new Set(names)].filter((name) => !ANY_TIME.has(name));
  const lastPart = names.findLastIndex((name) => name.startsWith("message.part"));
  return [
    `events in the order of their first: ${kinds.join(", ")}`,
    `the user's message comes before busy: ${names.indexOf("message.updated") < names.indexOf("session.status busy")}`,
    `every part comes before the last idle: ${lastPart < names.lastIndexOf("session.idle")}`,
    `session.idle follows its status: ${names.lastIndexOf("session.status idle") < names.lastIndexOf("session.idle")}`,
  ];
}

/** Facts about a turn without ids and times: the same for every server. */
export function factsOf(recorded: Recorded): Set<string> {
  const { events, messages, session, status, permissions, questions } = recorded;
  const once = ["session.idle", "session.error"].map(
    (type) => `${type} comes ${events.filter((event) => event.type === type).length} times`,
  );
  return new Set([
    ...events.map((event) => `event ${eventName(event)}`),
    ...events.map((event) => `keys of event ${event.type}: ${keys(event.properties)}`),
    ...once,
    ...order(events),
    ...(messages as Message[]).flatMap(messageFacts),
    `keys of the session: ${keys(session as object)}`,
    `status afterwards: ${JSON.stringify(status)}`,
    `permissions afterwards: ${JSON.stringify(permissions)}`,
    `questions afterwards: ${JSON.stringify(questions)}`,
  ]);
}
