import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type OpenOptions, ResumeLost } from "../../../../src/agents/contract.ts";
import { openSession } from "../../../../src/agents/opencode/open-session.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import { CUT, type Heard, Otherwise, StandIn } from "../stand-in.ts";

const numbered = (count: number): string => `msg_${String(count).padStart(4, "0")}`;
const user = (count: number): Fields => ({
  info: { id: numbered(count), role: "user" },
  parts: [{ id: `prt_${count}`, type: "text", text: `Prompt ${count}` }],
});
const agent = (count: number): Fields => ({
  info: { id: numbered(count), role: "assistant", time: { completed: 1 }, finish: "stop" },
  parts: [{ id: `prt_${count}`, type: "text", text: `Answer ${count}`, time: { end: 1 } }],
});
const PAST = [user(1), agent(2), user(3), agent(4)];

/** Pages of messages, as the program gives them: the newest first, each oldest first. */
function pages(messages: readonly Fields[]): (heard: Heard) => Otherwise {
  return ({ query }) => {
    const end = Number(query.get("before") ?? messages.length);
    const start = Math.max(0, end - Number(query.get("limit") ?? messages.length));
    return new Otherwise(200, messages.slice(start, end), start > 0 ? { "x-next-cursor": String(start) } : {});
  };
}

async function program(t: Parameters<typeof StandIn.open>[0], messages: readonly Fields[] = PAST): Promise<StandIn> {
  const stand = await StandIn.open(t);
  return stand
    .on("POST /session", { id: "ses_new" })
    .on("GET /session/ses_1", { id: "ses_1", title: "A title" })
    .on("GET /session/:/message", pages(messages))
    .on("GET /session/status", {})
    .on("POST /session/ses_1/fork", { id: "ses_copy" });
}

const open = (stand: StandIn, options: Partial<OpenOptions> = {}): ReturnType<typeof openSession> =>
  openSession(stand.api(), { session: "s", directory: "/work", trusted: true, emit: () => {}, ...options });

describe("a session is opened", { concurrency: true }, () => {
  test("anew", async (t) => {
    const stand = await program(t);
    assert.deepEqual(await open(stand), {
      id: "ses_new",
      resumed: false,
      isBusy: false,
      floor: "",
      ruled: [],
      past: [],
    });
    assert.deepEqual(
      stand.heard.map(({ method, path, body }) => [method, path, body]),
      [["POST", "/session", {}]],
    );
  });

  test("as an empty copy", async (t) => {
    const stand = await program(t);
    assert.equal((await open(stand, { resume: "ses_1@" })).id, "ses_new");
  });

  test("as it is, behind its past", async (t) => {
    const stand = await program(t);
    const opened = await open(stand, { resume: "ses_1" });
    assert.deepEqual(opened, {
      id: "ses_1",
      resumed: true,
      isBusy: false,
      floor: "msg_0004",
      ruled: [],
      past: [],
    });
  });

  test("with rules that the program keeps", async (t) => {
    const stand = await program(t);
    const permission = [{ permission: "bash", pattern: "*", action: "deny" }];
    stand.on("GET /session/ses_1", { id: "ses_1", permission });
    assert.deepEqual((await open(stand, { resume: "ses_1" })).ruled, ["bash"]);
  });

  test("and its past is told", async (t) => {
    const { past, floor } = await open(await program(t), { resume: "ses_1", tellPast: true });
    assert.equal(floor, "msg_0004");
    assert.deepEqual(
      past.map(({ type }) => type).filter((type) => type.startsWith("replay") || type === "text.done"),
      ["replay.begun", "replay.prompt", "text.done", "replay.prompt", "text.done", "replay.ended"],
    );
  });

  test("while another client's turn runs: it is followed from its beginning", async (t) => {
    const stand = await program(t, [...PAST, user(5), agent(6)]);
    stand.on("GET /session/status", { ses_1: { type: "busy" } });
    assert.equal((await open(stand, { resume: "ses_1" })).floor, "msg_0004");
    const { past } = await open(stand, { resume: "ses_1", tellPast: true });
    assert.equal(past.filter(({ type }) => type === "replay.prompt").length, 2);
  });

  test("while the first turn runs", async (t) => {
    const stand = await program(t, [user(1), agent(2)]);
    stand.on("GET /session/status", { ses_1: { type: "busy" } });
    assert.equal((await open(stand, { resume: "ses_1" })).floor, "");
  });

  test("while a long turn runs: what came before it is not told once more", async (t) => {
    const steps = Array.from({ length: 130 }, (_, count) => agent(6 + count));
    const stand = await program(t, [...PAST, user(5), ...steps]);
    stand.on("GET /session/status", { ses_1: { type: "busy" } });
    assert.equal((await open(stand, { resume: "ses_1" })).floor, "msg_0004");
  });

  test("with a long past, of which only the end is looked at", async (t) => {
    const long = Array.from({ length: 400 }, (_, count) => (count % 2 === 0 ? user(count) : agent(count)));
    const stand = await program(t, long);
    assert.equal((await open(stand, { resume: "ses_1" })).floor, "msg_0399");
    assert.equal(stand.of("GET /session/:/message").length, 1);
  });

  test("as a copy that ends with a message", async (t) => {
    const stand = await program(t);
    const opened = await open(stand, { resume: "ses_1@msg_0002" });
    assert.equal(opened.id, "ses_copy");
    assert.deepEqual(
      stand.of("POST /session/ses_1/fork").map(({ body }) => body),
      [{ messageID: "msg_0003" }],
    );
  });

  test("as a copy of the whole", async (t) => {
    const stand = await program(t);
    await open(stand, { resume: "ses_1@msg_0004" });
    assert.deepEqual(
      stand.of("POST /session/ses_1/fork").map(({ body }) => body),
      [{}],
    );
  });
});

describe("a session that is lost", { concurrency: true }, () => {
  for (const resume of ["ses_1@msg_9999", "thread-1", "ses_gone", "ses_gone@msg_1"])
    test(`is told as such: ${resume}`, async (t) => {
      const stand = await program(t);
      stand.on("GET /session/ses_gone/message", new Otherwise(404));
      await assert.rejects(open(stand, { resume }), ResumeLost);
    });

  test("is not one that could not be asked for", async (t) => {
    const stand = await program(t);
    stand.on("GET /session/ses_1", CUT);
    await assert.rejects(open(stand, { resume: "ses_1" }), (error) => !(error instanceof ResumeLost));
  });

  test("is not a new one that the program refuses", async (t) => {
    const stand = await program(t);
    stand.on("POST /session", new Otherwise(500, { data: { message: "the disk is full" } }));
    await assert.rejects(open(stand), /the disk is full/);
    stand.on("POST /session", {});
    await assert.rejects(open(stand), /no session/);
  });
});
