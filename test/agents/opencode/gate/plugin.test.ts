import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { GATE_VARIABLE, writePlugin } from "../../../../src/agents/opencode/gate/plugin.ts";
import { temporary } from "../../../support/server.ts";
import { Otherwise, StandIn } from "../stand-in.ts";

/** Runs the plugin as the program does: its beginning in a directory, then a call. Resolves with what went wrong, and the variables that a shell gets. */
const RUN = `
import { parentPort, workerData } from "node:worker_threads";
const tried = async (work) => work().then(() => null, (error) => error.message);
const { ParleyGate } = await import(workerData);
let hooks;
const begun = await tried(async () => { hooks = await ParleyGate({ directory: "/work" }); });
const call = { tool: "write", sessionID: "ses_1", callID: "call_1" };
const called = hooks && await tried(() => hooks["tool.execute.before"](call, { args: { filePath: "a" } }));
const env = { OPENCODE_SERVER_PASSWORD: "secret" };
await hooks?.["shell.env"]({}, { env });
parentPort.postMessage({ begun, called, env });
`;

interface Run {
  begun: string | null;
  called?: string | null;
  env: Record<string, string>;
}

async function run(t: TestContext, url: string): Promise<Run> {
  const directory = await temporary({ after: (close) => t.after(close) });
  const plugin = writePlugin(join(directory, "cache"));
  const code = new URL(`data:text/javascript,${encodeURIComponent(RUN)}`);
  const worker = new Worker(code, { workerData: plugin, env: { [GATE_VARIABLE]: url } });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

describe("the plugin", { concurrency: true }, () => {
  test("asks before a call, and lets it pass", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("POST /secret", { refused: null });
    const { begun, called } = await run(t, `${stand.url}/secret`);
    assert.deepEqual([begun, called], [null, null]);
    const [report, asked] = stand.heard.map(({ body }) => body);
    assert.deepEqual(report, { directory: "/work" });
    assert.deepEqual(asked, { session: "ses_1", call: "call_1", tool: "write", input: { filePath: "a" } });
  });

  test("has a call fail that is refused, with the reason", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("POST /secret", ({ body }: { body: object }) => ({
      refused: "directory" in body ? null : "use another way",
    }));
    assert.equal((await run(t, `${stand.url}/secret`)).called, "use another way");
  });

  for (const [what, answer] of [
    ["does not know it any more", new Otherwise(404)],
    ["fails", new Otherwise(500)],
    ["answers with nonsense", new Otherwise(200, "nonsense")],
    ["says nothing of a refusal", {}],
  ] as const)
    test(`has a call fail where Parley ${what}`, async (t) => {
      const stand = await StandIn.open(t);
      stand.on("POST /secret", ({ body }: { body: object }) => ("directory" in body ? { refused: null } : answer));
      const { begun, called } = await run(t, `${stand.url}/secret`);
      assert.equal(begun, null);
      assert.equal(typeof called, "string");
    });

  test("does not begin where Parley cannot be asked", async (t) => {
    const stand = await StandIn.open(t);
    assert.match((await run(t, `${stand.url}/secret`)).begun ?? "", /does not answer: 404/);
    // Nobody listens on this port.
    assert.equal(typeof (await run(t, "http://127.0.0.1:1/secret")).begun, "string");
  });

  test("keeps secrets from the agent's commands", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("POST /secret", { refused: null });
    const { env } = await run(t, `${stand.url}/secret`);
    assert.deepEqual(env, { OPENCODE_SERVER_PASSWORD: "", [GATE_VARIABLE]: "" });
  });

  test("is written whole, for the user alone, and again over an old one", async (t) => {
    const directory = await temporary({ after: (close) => t.after(close) });
    const parent = join(directory, "a", "b");
    const first = writePlugin(parent);
    assert.equal(writePlugin(parent), first);
    const file = fileURLToPath(first);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, "utf8"), /tool\.execute\.before/);
    assert.deepEqual(readdirSync(parent), ["opencode-gate.js"]);
  });
});
