import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, type TestContext, test } from "node:test";
import { Gate, type GateCall, type Gatekeeper, type GateLaunch } from "../../../../src/agents/opencode/gate/gate.ts";
import { eventually } from "../../../support/eventually.ts";
import { temporary } from "../../../support/server.ts";

const CALL = { session: "ses_1", call: "call_1", tool: "bash", input: { command: "ls" } };

interface Door {
  gate: Gate;
  launch: GateLaunch;
  url: string;
  directory: string;
}

async function open(t: TestContext): Promise<Door> {
  const directory = await temporary({ after: (close) => t.after(close) });
  const gate = new Gate(join(directory, "cache"));
  t.after(() => gate.close());
  const launch = await gate.launch();
  return { gate, launch, url: launch.env.PARLEY_OPENCODE_GATE ?? "", directory };
}

async function post(url: string, body: unknown, method = "POST"): Promise<{ status: number; refused?: string | null }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(url, { method, ...(method === "GET" ? {} : { body: text }) });
  return { status: answer.status, ...((await answer.json().catch(() => ({}))) as object) };
}

function keeper(own: string, hear: (call: GateCall) => Promise<string | undefined>): Gatekeeper & { looks: string[] } {
  const looks: string[] = [];
  return { looks, owns: (session) => session === own, lookUp: (session) => void looks.push(session), hear };
}

describe("the door of the gate", { concurrency: true }, () => {
  test("lets a call pass, or says why not", async (t) => {
    const { gate, url } = await open(t);
    const calls: GateCall[] = [];
    let refusal: string | undefined;
    const own = keeper("ses_1", async (call) => {
      calls.push(call);
      return refusal;
    });
    gate.join(keeper("ses_2", async () => assert.fail("not its session")));
    gate.join(own);
    assert.deepEqual(await post(url, CALL), { status: 200, refused: null });
    refusal = "a rule denies it";
    assert.deepEqual(await post(url, CALL), { status: 200, refused: "a rule denies it" });
    assert.deepEqual(calls, [CALL, CALL]);
  });

  test("is open to those who know its secret alone", async (t) => {
    const { gate, url } = await open(t);
    gate.join(keeper("ses_1", async () => assert.fail("nobody was to be asked")));
    const wrong = url.replace(/.{4}$/, "wwww");
    for (const other of [wrong, `${url}/`, `${url}?a=1`, new URL("/", url).href, url.replace(/\/[^/]+$/, "/__proto__")])
      assert.equal((await post(other, CALL)).status, 404, other);
    for (const method of ["GET", "PUT", "DELETE"]) assert.equal((await post(url, CALL, method)).status, 404, method);
    for (const body of ["", "nonsense", "[]", "null", '"a"']) assert.equal((await post(url, body)).status, 404, body);
  });

  test("has a secret for each server, which is forgotten with it", async (t) => {
    const { gate, launch, url } = await open(t);
    gate.join(keeper("ses_1", async () => undefined));
    const second = await gate.launch();
    assert.notEqual(second.id, launch.id);
    launch.forget();
    assert.equal((await post(url, CALL)).status, 404);
    assert.equal((await post(second.env.PARLEY_OPENCODE_GATE ?? "", CALL)).status, 200);
    await assert.rejects(gate.untilIn(launch.id, "/", 0), /rules cannot hold/);
  });

  test("cuts off a body that is too long", async (t) => {
    const { url } = await open(t);
    const cut = Promise.withResolvers<void>();
    const sent = request(url, { method: "POST" });
    sent.on("error", () => cut.resolve());
    sent.on("response", (response) => cut.reject(new Error(`answered with ${response.statusCode}`)));
    const piece = Buffer.alloc(1024 * 1024, "x");
    Readable.from(Array.from({ length: 200 }, () => piece)).pipe(sent);
    await cut.promise;
  });

  test("waits for a session that is not known yet, and has it looked for", async (t) => {
    const { gate, url } = await open(t);
    let known = "";
    const one: Gatekeeper & { looks: string[] } = {
      looks: [],
      owns: (session) => session === known,
      lookUp: (session) => void one.looks.push(session),
      hear: async () => "heard",
    };
    gate.join(one);
    const answer = post(url, CALL);
    await eventually("it was looked for", () => one.looks.length > 0);
    assert.equal(one.looks[0], "ses_1");
    known = "ses_1";
    assert.equal((await answer).refused, "heard");
  });

  test("refuses a call of a session that nobody knows", async (t) => {
    const { gate, url } = await open(t);
    const gone = keeper("ses_1", async () => undefined);
    gate.join(gone);
    gate.leave(gone);
    assert.match((await post(url, CALL)).refused ?? "", /does not know/);
  });

  test("knows in which directories a server asks, by any of their names", async (t) => {
    const { gate, launch, url, directory } = await open(t);
    const [real, link] = [join(directory, "real"), join(directory, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    await assert.rejects(gate.untilIn(launch.id, real, 0), /rules cannot hold/);
    await assert.rejects(gate.untilIn(undefined, real, 0), /rules cannot hold/);
    const later = gate.untilIn(launch.id, real);
    assert.deepEqual(await post(url, { directory: real }), { status: 200, refused: null });
    await later;
    await gate.untilIn(launch.id, link);
    await assert.rejects(gate.untilIn(launch.id, directory, 0), /rules cannot hold/);
    await assert.rejects(gate.untilIn("another", real, 0), /rules cannot hold/);
  });

  test("opens where its folder can be written again", async (t) => {
    const directory = await temporary({ after: (close) => t.after(close) });
    const folder = join(directory, "cache");
    writeFileSync(folder, "in the way");
    const gate = new Gate(folder);
    t.after(() => gate.close());
    await assert.rejects(gate.launch());
    rmSync(folder);
    assert.ok((await gate.launch()).id);
  });

  test("is closed also where it never was open", async () => {
    await new Gate("/nowhere").close();
  });
});
