import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { McpServer } from "../../../../src/agents/contract.ts";
import { eventually } from "../../../support/eventually.ts";
import { staysSo } from "../../../support/time.ts";
import { needOf, QUICK_WATCH, setStage, tell } from "./stage.ts";

describe("a server that runs", () => {
  test("ends when nobody has used it for a while, and the next lease starts another", async (t) => {
    const stage = await setStage(t, { idleMs: 1 });
    const one = await stage.servers.lease(needOf(stage));
    const two = await stage.servers.lease(needOf(stage));
    one.release();
    one.release();
    await staysSo("the server runs for its second user", () => stage.running().length === 1);
    two.release();
    assert.equal((await two.server.gone).signal, "SIGTERM");
    const next = await stage.servers.lease(needOf(stage));
    assert.equal(stage.specs.length, 2);
    assert.equal((await tell(next)).argv[0], "serve");
  });

  test("stays for ever where the setting says so, but not after a look alone", async (t) => {
    const stage = await setStage(t, { idleMs: 0, lookMs: 1 });
    const look = await stage.servers.lease(needOf(stage, { session: undefined }));
    look.release();
    await look.server.gone;
    const used = await stage.servers.lease(needOf(stage));
    const second = await stage.servers.lease(needOf(stage, { session: undefined }));
    used.release();
    second.release();
    await staysSo("the server that a session used runs", () => stage.running().length === 1, 300);
  });

  test("that hangs is ended, and the next lease has another", async (t) => {
    const stage = await setStage(t, { watch: QUICK_WATCH });
    const lease = await stage.servers.lease(needOf(stage));
    const { pid } = await tell(lease, "/hang");
    await lease.server.gone;
    assert.deepEqual(stage.running(), []);
    const next = await stage.servers.lease(needOf(stage));
    assert.notEqual((await tell(next)).pid, pid);
  });

  test("that hung while nobody used it is not leased again", async (t) => {
    const stage = await setStage(t, { answerMs: 1_000, freshMs: 0 });
    const lease = await stage.servers.lease(needOf(stage));
    const { pid } = await tell(lease, "/hang");
    lease.release();
    const [one, two] = await Promise.all([stage.servers.lease(needOf(stage)), stage.servers.lease(needOf(stage))]);
    assert.ok(one.server === two.server);
    assert.notEqual((await tell(one)).pid, pid);
    assert.equal(stage.running().length, 1);
  });

  test("that has answered a moment ago is leased without a question", async (t) => {
    const stage = await setStage(t, { answerMs: 1_000, freshMs: 600_000 });
    const lease = await stage.servers.lease(needOf(stage));
    await tell(lease, "/hang");
    lease.release();
    assert.ok((await stage.servers.lease(needOf(stage))).server === lease.server);
  });

  test("that is killed shows it, and the leases after it share one new server", async (t) => {
    const stage = await setStage(t);
    const lease = await stage.servers.lease(needOf(stage));
    const { pid } = await tell(lease);
    process.kill(pid, "SIGKILL");
    assert.equal((await lease.server.gone).signal, "SIGKILL");
    const [one, two] = await Promise.all([stage.servers.lease(needOf(stage)), stage.servers.lease(needOf(stage))]);
    assert.ok(one.server === two.server);
    assert.equal(stage.specs.length, 2);
    lease.release();
    assert.equal((await tell(one)).argv[0], "serve");
  });

  test("that is being ended is given to nobody", async (t) => {
    const stage = await setStage(t);
    const lease = await stage.servers.lease(needOf(stage));
    const ending = lease.server.kill(1_000);
    const next = await stage.servers.lease(needOf(stage));
    assert.notEqual(next.server, lease.server);
    await ending;
    assert.equal(stage.running().length, 1);
  });

  test("serves a session alone that has servers of tools, and ends with it", async (t) => {
    const stage = await setStage(t);
    const mcpServers: McpServer[] = [
      { name: "db", type: "stdio", command: "serve-db", args: ["--all"], env: { KEY: "k" } },
      { name: "web", type: "sse", url: "http://127.0.0.1:9/sse", headers: { "x-key": "k" } },
    ];
    const shared = await stage.servers.lease(needOf(stage));
    const own = await stage.servers.lease(needOf(stage, { mcpServers }));
    const other = await stage.servers.lease(needOf(stage, { mcpServers, session: "ses_2" }));
    assert.equal(new Set([shared.server, own.server, other.server]).size, 3);
    const { env, posted } = await tell(own);
    assert.doesNotMatch(JSON.stringify(env), /serve-db|127\.0\.0\.1:9/, "the agent's commands see no secret of theirs");
    assert.deepEqual(
      posted.toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        {
          name: "db",
          config: { type: "local", command: ["serve-db", "--all"], environment: { KEY: "k" }, enabled: true },
        },
        {
          name: "web",
          config: { type: "remote", url: "http://127.0.0.1:9/sse", headers: { "x-key": "k" }, enabled: true },
        },
      ],
    );
    own.release();
    await own.server.gone;
    assert.equal(stage.running().length, 2);
  });

  test("ends when Parley closes, and so does one that is being started", async (t) => {
    const stage = await setStage(t);
    await stage.servers.lease(needOf(stage));
    const starting = stage.servers.lease(needOf(stage, { trusted: false }));
    const failing = assert.rejects(starting);
    await eventually("the second start has begun", () => stage.specs.length === 2);
    await stage.servers.close();
    await failing;
    assert.deepEqual(stage.running(), []);
    await assert.rejects(stage.servers.lease(needOf(stage)), /closing/);
  });
});
