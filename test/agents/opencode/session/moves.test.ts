import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Fields } from "../../../../src/core/json/fields.ts";
import type { Exit } from "../../../../src/host/contract.ts";
import { eventually } from "../../../support/eventually.ts";
import { CUT, Otherwise } from "../stand-in.ts";
import { ID, Stage, words } from "./stage.ts";

const KILLED: Exit = { code: null, signal: "SIGKILL", stderr: [] };
const GIVE = "POST /session/:/prompt_async";
const BESIDE = "POST /session/:/message";

const message = (id: string, role: string, more: object = {}): Fields => ({
  info: { id, role, sessionID: ID, ...more },
  parts: [],
});

/** A session whose server dies when it is told to; the next one answers from the same state. */
async function dying(t: TestContext): Promise<{ stage: Stage; die(): void }> {
  const gone = Promise.withResolvers<Exit>();
  const stage = await Stage.open(t, {}, true, gone.promise);
  stage.server = { ...stage.server, gone: new Promise(() => {}) };
  return { stage, die: () => gone.resolve(KILLED) };
}

describe("a prompt in the moment in which its server dies", { concurrency: true }, () => {
  test("goes to a new server, with the same ids", async (t) => {
    const { stage, die } = await dying(t);
    stage.stand.on(GIVE, CUT);
    const prompted = stage.session.prompt(words("Hi"));
    const id = await stage.given();
    stage.stand.on(GIVE, new Otherwise(204, ""));
    const before = stage.stand.of(GIVE).length;
    die();
    assert.equal(await stage.given(before + 1), id);
    await prompted;
    assert.equal(stage.leases, 1);
    stage.busy();
    const over = { parentID: id, time: { created: 1, completed: 2 }, finish: "stop" };
    stage.messages = [message(id, "user"), message(`${id}1`, "assistant", over)];
    stage.idle();
    assert.equal((await stage.ended()).reason, "end_turn");
    assert.deepEqual([stage.of("turn.begun").length, stage.of("exited").length], [1, 0]);
    assert.deepEqual(
      stage.of("note").map(({ code }) => code),
      ["agent_restarted"],
    );
    const [first, last] = [stage.stand.of(GIVE)[0], stage.stand.of(GIVE).at(-1)];
    assert.deepEqual(first?.body, last?.body);
  });

  test("is taken back first where the program has kept it: its files would be read into it twice", async (t) => {
    const { stage, die } = await dying(t);
    await stage.session.prompt(words("Hi"));
    const id = await stage.given();
    stage.stand.on("DELETE /session/:/message/:", () => {
      stage.messages = [];
      return true;
    });
    stage.messages = [message(id, "user")];
    die();
    assert.equal(await stage.given(2), id);
    const asked = stage.stand.heard.map(({ method, path }) => `${method} ${path}`);
    const [removed, given] = [`DELETE /session/${ID}/message/${id}`, GIVE.replace(":", ID)];
    assert.equal(asked.filter((one) => one === removed).length, 1);
    assert.ok(asked.indexOf(removed) < asked.lastIndexOf(given));
  });

  test("is not given once more where the program has begun to answer it", async (t) => {
    const { stage, die } = await dying(t);
    await stage.session.prompt(words("Hi"));
    const id = await stage.given();
    stage.messages = [message(id, "user"), message(`${id}1`, "assistant", { parentID: id })];
    die();
    await eventually("it is over", () => stage.of("exited").length > 0);
    assert.equal(stage.stand.of(GIVE).length, 1);
    assert.equal(stage.leases, 0);
  });

  test("fails where the server was known to work on it", async (t) => {
    const { stage, die } = await dying(t);
    await stage.session.prompt(words("Hi"));
    await stage.given();
    stage.busy();
    await eventually("it works", () => stage.of("status").length > 0);
    die();
    await eventually("it is over", () => stage.of("exited").length > 0);
    assert.equal(stage.of("note").length, 0);
  });

  test("fails with its server where its command was called: nobody can see what that did", async (t) => {
    const { stage, die } = await dying(t);
    stage.stand.on("POST /session/:/command", () => new Promise(() => {}));
    await stage.session.prompt(words("/review this"));
    await eventually("it was called", () => stage.stand.of("POST /session/:/command").length > 0);
    die();
    await eventually("it is over", () => stage.of("exited").length > 0);
  });

  test("goes to a second server and to no third one", async (t) => {
    const { stage, die } = await dying(t);
    const second = Promise.withResolvers<Exit>();
    stage.server = { ...stage.server, gone: second.promise };
    await stage.session.prompt(words("Hi"));
    await stage.given();
    die();
    await stage.given(2);
    second.resolve(KILLED);
    await eventually("it is over", () => stage.of("exited").length > 0);
    assert.equal(stage.stand.of(GIVE).length, 2);
  });

  test("that is stopped while it goes to a new server is over, and the server is given back", async (t) => {
    const { stage, die } = await dying(t);
    await stage.session.prompt(words("Hi"));
    await stage.given();
    const held = Promise.withResolvers<void>();
    stage.stand.on("GET /session/:", async () => {
      await held.promise;
      return { id: ID };
    });
    const looks = stage.stand.of("GET /session/:").length;
    die();
    await eventually("it is being opened", () => stage.stand.of("GET /session/:").length > looks);
    await stage.session.kill(0);
    held.resolve();
    await eventually("the lease is back", () => stage.leases === 0);
    assert.equal(stage.of("exited").length, 1);
    assert.equal(stage.stand.of(GIVE).length, 1);
  });
});

test("texts and instructions beside a command are a message before it, which is not answered", async (t) => {
  const stage = await Stage.open(t);
  stage.stand.on(BESIDE, {}).on("POST /session/:/command", {});
  const { parts } = words("/review this");
  const more = { type: "text", text: "!`rm x`" } as const;
  await stage.session.prompt({ id: "msg_p", parts: [...parts, more], system: "Be brief." });
  await eventually("it was called", () => stage.stand.of("POST /session/:/command").length > 0);
  const [beside, called] = [stage.stand.of(BESIDE)[0]?.body, stage.stand.of("POST /session/:/command")[0]?.body].map(
    (body) => body as Fields & { messageID: string; parts: { text: string }[] },
  );
  assert.ok(beside && called);
  assert.equal(beside.noReply, true);
  assert.deepEqual(
    beside.parts.map(({ text }) => text),
    ["Be brief.", "!`rm x`"],
  );
  assert.equal(called.arguments, "this");
  assert.ok(beside.messageID < called.messageID);
  stage.busy();
  const over = { parentID: called.messageID, time: { created: 1, completed: 2 }, finish: "stop" };
  stage.messages = [
    message(beside.messageID, "user"),
    message(called.messageID, "user"),
    message(`${called.messageID}1`, "assistant", over),
  ];
  stage.idle();
  assert.equal((await stage.ended()).reason, "end_turn");
  assert.equal(stage.of("text.done").length, 0);
});
