import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CuttingProxy, startCuttingProxy } from "../../support/opencode/cutting-proxy.ts";
import { EventTape } from "../../support/opencode/event-tape.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { type SdkV1, type SdkV2, sdkV1, sdkV2 } from "../../support/opencode/sdk.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { NATIVE, startTarget } from "../../support/opencode/target.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = NATIVE ? await realAgent("opencode") : { skip: false as const };

interface Said {
  info: { role: string };
  parts: { type: string; text?: string }[];
}

function answers(messages: readonly unknown[]): string[] {
  return (messages as Said[])
    .filter(({ info }) => info.role === "assistant")
    .flatMap(({ parts }) => parts.filter(({ type }) => type === "text").map(({ text }) => text ?? ""));
}

function words(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}

describe("OpenCode's SDK, on Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let proxy: CuttingProxy;
  let v1: SdkV1;
  let v2: SdkV2;

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const directory = stage.surroundings.project("project", FILES);
    const { url, token } = await startTarget(stage, program, directory);
    proxy = stage.use(await startCuttingProxy(url));
    v1 = sdkV1({ url: proxy.url, directory, token });
    v2 = sdkV2({ url: proxy.url, directory, token });
  });
  after(() => stage[Symbol.asyncDispose]());

  async function tapeV2(): Promise<EventTape> {
    const stop = new AbortController();
    const { stream } = await v2.event.subscribe({}, { signal: stop.signal });
    const tape = new EventTape(stream, stop);
    await tape.until("server.connected", ({ type }) => type === "server.connected");
    return tape;
  }

  async function newSession(): Promise<string> {
    const { data } = await v2.session.create({});
    assert.ok(data);
    return data.id;
  }

  test("v1: a session, its events, a prompt that waits and one that does not", async () => {
    const stop = new AbortController();
    const { stream } = await v1.event.subscribe({ signal: stop.signal });
    await using tape = new EventTape(stream, stop);
    await tape.until("server.connected", ({ type }) => type === "server.connected");
    const { data: session } = await v1.session.create({ body: { title: "By the first" } });
    assert.equal(session?.title, "By the first");
    const id = session?.id ?? "";

    const { data: answer } = await v1.session.prompt({ path: { id }, body: { parts: words("first") } });
    assert.deepEqual(answers([answer]), ["You said: first"]);
    await tape.idle(id);
    const from = tape.events.length;
    await v1.session.promptAsync({ path: { id }, body: { parts: words("second") } });
    await tape.idle(id, from);
    const { data: messages = [] } = await v1.session.messages({ path: { id } });
    assert.deepEqual(answers(messages), ["You said: first", "You said: second"]);
    assert.equal(tape.types(id).filter((type) => type === "session.idle").length, 2);
    assert.ok((await v1.session.list()).data?.some((one) => one.id === id));
  });

  test("v1: a permission is answered on its old route", async () => {
    await using tape = await tapeV2();
    const id = await newSession();
    const prompt = v1.session.prompt({ path: { id }, body: { parts: words("[[command]] go") } });
    const asked = await tape.until("permission.asked", ({ type }) => type === "permission.asked");
    const permissionID = String(asked.properties.id);
    await v1.postSessionIdPermissionsPermissionId({ path: { id, permissionID }, body: { response: "once" } });
    assert.match(answers([(await prompt).data]).join(), /It wrote: it-ran/);
  });

  test("v2: a permission granted, listed while it waits; its tool's course", async () => {
    await using tape = await tapeV2();
    const sessionID = await newSession();
    await v2.session.promptAsync({ sessionID, parts: words("[[command]] go") });
    const asked = await tape.until("permission.asked", ({ type }) => type === "permission.asked");
    const requestID = String(asked.properties.id);
    assert.deepEqual(
      (await v2.permission.list({})).data?.map(({ id }) => id),
      [requestID],
    );
    await v2.permission.reply({ requestID, reply: "once" });
    await tape.idle(sessionID);
    assert.deepEqual((await v2.permission.list({})).data, []);
    const states = tape.events
      .filter(({ type }) => type === "message.part.updated")
      .map(({ properties }) => properties.part as { type: string; sessionID: string; state?: { status: string } })
      .filter((part) => part.type === "tool" && part.sessionID === sessionID)
      .map((part) => part.state?.status);
    assert.deepEqual([...new Set(states)], ["pending", "running", "completed"]);
    const messages = (await v2.session.messages({ sessionID })).data ?? [];
    assert.deepEqual(answers(messages), ["I run it.", "It wrote: it-ran\n"]);
  });

  test("v2: a permission refused ends the turn, its tool failed", async () => {
    await using tape = await tapeV2();
    const sessionID = await newSession();
    await v2.session.promptAsync({ sessionID, parts: words("[[command]] go") });
    const asked = await tape.until("permission.asked", ({ type }) => type === "permission.asked");
    await v2.permission.reply({ requestID: String(asked.properties.id), reply: "reject" });
    await tape.idle(sessionID);
    const messages = (await v2.session.messages({ sessionID })).data ?? [];
    const tools = messages.flatMap(({ parts }) => parts).filter((part) => part.type === "tool");
    assert.deepEqual(
      tools.map(({ state }) => state.status),
      ["error"],
    );
  });

  test("v2: a question is answered", async () => {
    await using tape = await tapeV2();
    const sessionID = await newSession();
    await v2.session.promptAsync({ sessionID, parts: words("[[question]] go") });
    const asked = await tape.until("question.asked", ({ type }) => type === "question.asked");
    const requestID = String(asked.properties.id);
    assert.deepEqual(
      (await v2.question.list({})).data?.map(({ id }) => id),
      [requestID],
    );
    await v2.question.reply({ requestID, answers: [["Blue"]] });
    await tape.idle(sessionID);
    assert.deepEqual(answers((await v2.session.messages({ sessionID })).data ?? []), ["You chose: Blue"]);
  });

  test("v2: a turn is aborted; one error, one idle, and the words so far are kept", async () => {
    await using tape = await tapeV2();
    const sessionID = await newSession();
    await v2.session.promptAsync({ sessionID, parts: words("[[abort]] go") });
    await stage.held("abort-1");
    await tape.until("the beginning", ({ type }) => type === "message.part.delta");
    await v2.session.abort({ sessionID });
    await tape.idle(sessionID);
    const messages = (await v2.session.messages({ sessionID })).data ?? [];
    assert.deepEqual(answers(messages), ["The beginning, "]);
    const types = tape.types(sessionID);
    for (const type of ["session.error", "session.idle"]) {
      assert.equal(types.filter((one) => one === type).length, 1, `${type}: ${types.join(", ")}`);
    }
  });

  test("v2: a stream that is cut goes on where it was, with nothing twice and nothing missing", async () => {
    await using tape = await tapeV2();
    const sessionID = await newSession();
    await v2.session.promptAsync({ sessionID, parts: words("[[cut]] go") });
    await stage.held("cut-1");
    await tape.until("the beginning", ({ type }) => type === "message.part.delta");
    assert.equal(proxy.cut("GET /event"), 1);
    stage.model.release("cut-1");
    const whole = "The beginning, the middle, ";
    await tape.until("what was said while it was cut", () => tape.texts(sessionID)[0] === whole);
    stage.model.release("cut-2");
    await tape.idle(sessionID);
    assert.deepEqual(tape.texts(sessionID), ["The beginning, the middle, the end."]);
    assert.equal(tape.types(sessionID).filter((type) => type === "session.idle").length, 1);
  });
});
