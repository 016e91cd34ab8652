import { eventually } from "../eventually.ts";
import { EventTape, type TapedEvent } from "./event-tape.ts";
import type { SdkV2 } from "./sdk.ts";

/** The acts of a person while the turn runs. */
type Act = (event: TapedEvent, sdk: SdkV2, sessionID: string) => Promise<unknown> | undefined;

export interface Scenario {
  prompt: string;
  act?: Act;
  /** How often native says that the turn is over: its last words come before the second time. */
  nativeIdles?: number;
  /** Choices that go with the prompt. */
  choice?: { agent?: string; variant?: string };
  how?: "command" | "summarize";
  /** It changes files: native tells of them some time after the end of the turn. */
  changes?: boolean;
}

const reply =
  (answer: "once" | "reject", message?: string): Act =>
  ({ type, properties }, sdk) =>
    type === "permission.asked"
      ? sdk.permission.reply({ requestID: String(properties.id), reply: answer, ...(message ? { message } : {}) })
      : undefined;

const answer: Act = ({ type, properties }, sdk) =>
  type === "question.asked" ? sdk.question.reply({ requestID: String(properties.id), answers: [["Blue"]] }) : undefined;

const dismiss: Act = ({ type, properties }, sdk) =>
  type === "question.asked" ? sdk.question.reject({ requestID: String(properties.id) }) : undefined;

const abort: Act = ({ type }, sdk, sessionID) =>
  type === "message.part.delta" ? sdk.session.abort({ sessionID }) : undefined;

/** The scenarios of each run. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "thoughts before the answer": { prompt: "[[think]] go" },
  "a file read and changed": { prompt: "[[edit]] go", act: reply("once"), changes: true },
  "a file written": { prompt: "[[write]] go", act: reply("once"), changes: true },
  "a question": { prompt: "[[question]] go", act: answer },
  "a sub-agent that asks": { prompt: "[[main]] go", act: reply("once") },
  "a list of work, in plan, with a variant": { prompt: "[[todo]] go", choice: { agent: "plan", variant: "high" } },
  "a command of the user, refused a call": { prompt: "[[touch]] go", how: "command", act: reply("reject") },
};

/** Those that are run on a machine that does nothing else. */
export const MORE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a text": { prompt: "hello" },
  "a command that fails": { prompt: "[[fails]] go", act: reply("once") },
  "a refusal with words": { prompt: "[[touch]] go", act: reply("reject", "not so") },
  "a question that is dismissed": { prompt: "[[question]] go", act: dismiss },
  "an error that will not pass": { prompt: "[[broken]] go", nativeIdles: 2 },
  "an abort": { prompt: "[[stop]] go", act: abort, nativeIdles: 2 },
  "a file that is not there": { prompt: "[[missing]] go" },
  "a tool that is not there": { prompt: "[[badtool]] go" },
  "an agent of the user": { prompt: "hello", choice: { agent: "reviewer" } },
  "a summary": { prompt: "hello", how: "summarize" },
};

export interface Told {
  session: unknown;
  messages: unknown;
  children: unknown;
  todos: unknown;
  diffs: unknown;
  asks: unknown[];
  eventTypes: string[];
}

const FAKE = { providerID: "fake", modelID: "fake-model" };
const BEHIND = { providerID: "opencode", modelID: "fake/fake-model" };

async function give(sdk: SdkV2, sessionID: string, { prompt, choice, how }: Scenario): Promise<void> {
  if (how === "command") await sdk.session.command({ sessionID, command: "hello", arguments: prompt });
  else await sdk.session.promptAsync({ sessionID, parts: [{ type: "text", text: prompt }], ...choice });
}

/** Plays a scenario, and asks for everything that clients show of it. */
export async function play(sdk: SdkV2, scenario: Scenario, isNative: boolean): Promise<Told> {
  const stop = new AbortController();
  const { stream } = await sdk.event.subscribe({}, { signal: stop.signal });
  await using tape = new EventTape(stream, stop);
  await tape.until("server.connected", ({ type }) => type === "server.connected");
  const sessionID = (await sdk.session.create({})).data?.id ?? "";
  const { act, how } = scenario;
  const acted = act && tape.until("something to act on", (event) => act(event, sdk, sessionID) !== undefined);
  const given = give(sdk, sessionID, scenario);
  await Promise.all([given, acted]);
  const ends = (): number => tape.types(sessionID).filter((type) => type === "session.idle").length;
  const idles = isNative ? (scenario.nativeIdles ?? 1) : 1;
  await tape.until(`session.idle, ${idles} times`, () => ends() === idles);
  const messagesText = async (): Promise<string> => JSON.stringify((await sdk.session.messages({ sessionID })).data);
  if (how === "summarize") {
    await sdk.session.summarize({ sessionID, ...(isNative ? FAKE : BEHIND) });
    await tape.until("the end of the summary", () => ends() === idles + 1);
  }
  if (scenario.changes)
    await eventually("the changes of the turn are told", async () => /"diffs":\[\{/.test(await messagesText()));
  const [session, messages, children, todos, diffs] = await Promise.all([
    sdk.session.get({ sessionID }),
    sdk.session.messages({ sessionID }),
    sdk.session.children({ sessionID }),
    sdk.session.todo({ sessionID }),
    sdk.session.diff({ sessionID }),
  ]);
  const below = await Promise.all((children.data ?? []).map(({ id }) => sdk.session.messages({ sessionID: id })));
  return {
    session: session.data,
    messages: messages.data,
    children: (children.data ?? []).map((child, at) => ({ child, messages: below[at]?.data })),
    todos: todos.data,
    diffs: diffs.data,
    asks: tape.events.filter(({ type }) => /^(?:permission|question)\.asked$/.test(type)).map((one) => one.properties),
    eventTypes: [...new Set(tape.events.map(({ type }) => type))].sort(),
  };
}

const IDS = /\b(ses|msg|prt|per|que|evt|call)_\w+/g;
/** Numbers that count characters of a system's own texts, and names that differ by design in every answer. */
const OWN = /\.(?:tokens\.(?:input|total)|slug|projectID|version|time\.\w+|path\.root)$/;

function flat(value: unknown, path: string, directory: string, facts: Set<string>): void {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    for (const [key, one] of Object.entries(value))
      flat(one, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, directory, facts);
    return;
  }
  if (OWN.test(path) && value !== undefined) facts.add(`${path} is there`);
  else facts.add(`${path} = ${JSON.stringify(value)?.replaceAll(directory, "DIR").replaceAll(IDS, "$1")}`);
}

/** An empty list of changes, which native adds at any time. */
const NO_CHANGES = /\.info\.summary\.diffs = \[\]$/;

/** Everything that was told, as single facts without ids and times. */
export function factsIn(told: unknown, directory: string): Set<string> {
  const facts = new Set<string>();
  flat(told, "", directory, facts);
  return new Set([...facts].filter((fact) => !NO_CHANGES.test(fact)));
}

/** The facts that only one side tells. */
export function differences(native: ReadonlySet<string>, parley: ReadonlySet<string>): string[] {
  return [
    ...[...native].filter((fact) => !parley.has(fact)).map((fact) => `native only: ${fact}`),
    ...[...parley].filter((fact) => !native.has(fact)).map((fact) => `Parley only: ${fact}`),
  ];
}
