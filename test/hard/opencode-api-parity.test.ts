import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { EventTape, type TapedEvent } from "../support/opencode/event-tape.ts";
import { factsOf, type Recorded } from "../support/opencode/facts.ts";
import { startNative } from "../support/opencode/native.ts";
import { DIFFERENCES } from "../support/opencode/parity-differences.ts";
import { FILES, SCRIPT } from "../support/opencode/script.ts";
import { type SdkV2, sdkV2 } from "../support/opencode/sdk.ts";
import { Stage } from "../support/opencode/stage.ts";
import { startTarget } from "../support/opencode/target.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

/** The acts of a person while the turn runs. */
type Act = (event: TapedEvent, sdk: SdkV2) => Promise<unknown> | undefined;

interface Scenario {
  prompt: string;
  act?: Act;
  /** How often native says that the turn is over: its last words come before the second time. */
  nativeIdles?: number;
}

const reply =
  (answer: "once" | "reject"): Act =>
  ({ type, properties }, sdk) =>
    type === "permission.asked" ? sdk.permission.reply({ requestID: String(properties.id), reply: answer }) : undefined;

const answer: Act = ({ type, properties }, sdk) =>
  type === "question.asked" ? sdk.question.reply({ requestID: String(properties.id), answers: [["Blue"]] }) : undefined;

const abort: Act = ({ type, properties }, sdk) =>
  type === "message.part.delta" ? sdk.session.abort({ sessionID: String(properties.sessionID) }) : undefined;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a text": { prompt: "hello" },
  "a command, allowed": { prompt: "[[command]] go", act: reply("once") },
  "a command, refused": { prompt: "[[command]] go", act: reply("reject") },
  "a file read and changed": { prompt: "[[edit]] go", act: reply("once") },
  "a question": { prompt: "[[question]] go", act: answer },
  "an abort": { prompt: "[[abort]] go", act: abort, nativeIdles: 2 },
  "thoughts before the answer": { prompt: "[[think]] go" },
  "an error that will not pass": { prompt: "[[broken]] go", nativeIdles: 2 },
};

async function record(sdk: SdkV2, { prompt, act }: Scenario, idles: number): Promise<Recorded> {
  const stop = new AbortController();
  const { stream } = await sdk.event.subscribe({}, { signal: stop.signal });
  await using tape = new EventTape(stream, stop);
  await tape.until("server.connected", ({ type }) => type === "server.connected");
  const { data: session } = await sdk.session.create({});
  const sessionID = session?.id ?? "";
  const acted = act
    ? tape.until("something to act on", (event) => {
        const doing = event.properties.sessionID === sessionID ? act(event, sdk) : undefined;
        return doing !== undefined;
      })
    : undefined;
  await sdk.session.promptAsync({ sessionID, parts: [{ type: "text", text: prompt }] });
  await acted;
  const ends = (): number => tape.types(sessionID).filter((type) => type === "session.idle").length;
  await tape.until(`session.idle, ${idles} times`, () => ends() === idles);
  const [messages, kept, status, permissions, questions] = await Promise.all([
    sdk.session.messages({ sessionID }),
    sdk.session.get({ sessionID }),
    sdk.session.status({}),
    sdk.permission.list({}),
    sdk.question.list({}),
  ]);
  return {
    events: tape.events.filter(({ properties }) => properties.sessionID === sessionID),
    messages: messages.data ?? [],
    session: kept.data,
    status: status.data,
    permissions: permissions.data,
    questions: questions.data,
  };
}

describe("the same script through OpenCode's own server and through Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let clients: { native: SdkV2; parley: SdkV2 };
  const used = new Set<object>();

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings, model } = stage;
    const directories = {
      native: surroundings.repository("native", FILES),
      parley: surroundings.repository("parley", FILES),
    };
    const [native, parley] = await Promise.all([
      startNative({ program, surroundings, directory: directories.native, modelUrl: model.url }),
      startTarget(stage, program, directories.parley),
    ]);
    stage.use(native);
    clients = {
      native: sdkV2({ url: native.url, directory: directories.native }),
      parley: sdkV2({ url: parley.url, directory: directories.parley, token: parley.token }),
    };
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    test(name, async () => {
      const native = factsOf(await record(clients.native, scenario, scenario.nativeIdles ?? 1));
      const parley = factsOf(await record(clients.parley, scenario, 1));
      const differences = [
        ...[...native].filter((fact) => !parley.has(fact)).map((fact) => `native only: ${fact}`),
        ...[...parley].filter((fact) => !native.has(fact)).map((fact) => `Parley only: ${fact}`),
      ];
      const unknown = differences.filter((difference) => {
        const known = DIFFERENCES.find(({ fits }) => fits.test(difference));
        if (known) used.add(known);
        return known === undefined;
      });
      assert.deepEqual(unknown, []);
    });
  }

  test("no difference is listed that is none", () => {
    assert.deepEqual(
      DIFFERENCES.filter((one) => !used.has(one)).map(({ told }) => told),
      [],
    );
  });
});

test("every difference is told in docs/opencode.md", () => {
  const page = readFileSync(new URL("../../docs/opencode.md", import.meta.url), "utf8").replace(/\s+/g, " ");
  const untold = DIFFERENCES.filter(({ told }) => !page.includes(told));
  assert.deepEqual(untold, []);
});
