import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SpawnFailed } from "../../../../src/host/contract.ts";
import { eventually } from "../../../support/eventually.ts";
import { needOf, setStage, tell } from "./stage.ts";

function fails(lease: Promise<unknown>, words: RegExp): Promise<void> {
  return assert.rejects(lease, (thrown: unknown) => {
    assert.ok(thrown instanceof SpawnFailed, String(thrown));
    assert.match(thrown.message, words);
    return true;
  });
}

describe("the start of a server", () => {
  test("is shared by leases that come at once, for any directory, with a password and without Parley's token", async (t) => {
    const stage = await setStage(t, { env: { PARLEY_TOKEN: "secret", OPENCODE_SERVER_USERNAME: "somebody" } });
    const [one, two, three] = await Promise.all([
      stage.servers.lease(needOf(stage)),
      stage.servers.lease(needOf(stage, { directory: "/", session: "ses_2" })),
      stage.servers.lease(needOf(stage, { directory: "/tmp", session: undefined })),
    ]);
    assert.equal(stage.specs.length, 1);
    assert.ok(one.server === two.server && two.server === three.server);
    assert.deepEqual([one.server.own, one.server.version], [true, "9.9.9"]);
    const { argv, env, cwd } = await tell(one);
    assert.deepEqual(argv.slice(0, 4), ["serve", "--hostname", "127.0.0.1", "--port"]);
    assert.equal(cwd, join(stage.directory, "home"));
    assert.equal(env.PARLEY_TOKEN, undefined);
    assert.equal(env.OPENCODE_DISABLE_AUTOUPDATE, "1");
    assert.equal(env.OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER, "1");
    assert.equal(env.OPENCODE_DISABLE_PROJECT_CONFIG, undefined);
    assert.equal((await fetch(`${one.server.url}/global/health`)).status, 401);
  });

  test("leaves the watch of files to what the environment says of it", async (t) => {
    for (const name of ["OPENCODE_EXPERIMENTAL_FILEWATCHER", "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER"]) {
      const stage = await setStage(t, { env: { [name]: "false" } });
      const { env } = await tell(await stage.servers.lease(needOf(stage)));
      const said = Object.entries(env).filter(([key]) => key.includes("FILEWATCHER"));
      assert.deepEqual(said, [[name, "false"]]);
    }
  });

  test("in a directory that is not trusted is another, which loads nothing of a project", async (t) => {
    const content = '{ "theme": "dark", /* mine */ "lsp": true }';
    const stage = await setStage(t, { env: { OPENCODE_CONFIG_CONTENT: content, GIT_CONFIG_COUNT: undefined } });
    const trusted = await stage.servers.lease(needOf(stage));
    const untrusted = await stage.servers.lease(needOf(stage, { trusted: false }));
    assert.notEqual(trusted.server.url, untrusted.server.url);
    const { env } = await tell(untrusted);
    assert.equal(env.OPENCODE_DISABLE_PROJECT_CONFIG, "1");
    assert.equal(env.GIT_CONFIG_KEY_0, "core.fsmonitor");
    assert.deepEqual(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? ""), { theme: "dark", lsp: false, formatter: false });
    const usual = await tell(trusted);
    assert.equal(usual.env.OPENCODE_CONFIG_CONTENT, content);
    assert.notEqual(usual.env.OPENCODE_SERVER_PASSWORD, env.OPENCODE_SERVER_PASSWORD);
  });

  test("is not tried with a configuration of the environment that cannot be read", async (t) => {
    const stage = await setStage(t, { env: { OPENCODE_CONFIG_CONTENT: "{" } });
    await fails(stage.servers.lease(needOf(stage, { trusted: false })), /OPENCODE_CONFIG_CONTENT is no configuration/);
    assert.equal(stage.specs.length, 0);
  });

  test("is not tried for rules where the environment keeps plugins out", async (t) => {
    for (const OPENCODE_PURE of ["1", "yes"]) {
      const stage = await setStage(t, { env: { OPENCODE_PURE } });
      await fails(stage.servers.lease(needOf(stage, { ruled: true })), /OPENCODE_PURE keeps plugins out/);
      assert.equal(stage.specs.length, 0);
      assert.ok(await stage.servers.lease(needOf(stage)));
    }
    const stage = await setStage(t, { env: { OPENCODE_PURE: "0" } });
    assert.ok(await stage.servers.lease(needOf(stage, { ruled: true })));
  });

  test("that dies at once fails with its last words, once for all that waited, and is tried again later", async (t) => {
    const stage = await setStage(t, { fault: "dies" });
    const leases = [stage.servers.lease(needOf(stage)), stage.servers.lease(needOf(stage))];
    for (const lease of leases) await fails(lease, /ended before .*exit code 3.*the configuration is broken/s);
    assert.equal(stage.specs.length, 1);
    await fails(stage.servers.lease(needOf(stage)), /the configuration is broken/);
    assert.equal(stage.specs.length, 2);
  });

  test("that never says that it listens fails in time, with its last words, and leaves nothing", async (t) => {
    const stage = await setStage(t, { fault: "silent", readyMs: 3_000 });
    await fails(stage.servers.lease(needOf(stage)), /did not say that it listens within 3000 ms/);
    assert.deepEqual(stage.running(), []);
  });

  test("that listens and answers nothing fails in time and leaves nothing", async (t) => {
    const stage = await setStage(t, { fault: "deaf", readyMs: 3_000 });
    await fails(stage.servers.lease(needOf(stage)), /within 3000 ms/);
    assert.deepEqual(stage.running(), []);
  });

  test("goes on at another port when one was taken in between", async (t) => {
    const takers: Server[] = [];
    t.after(() => Promise.all(takers.map((taker) => new Promise((done) => taker.close(done)))));
    const stage = await setStage(t, {
      beforeSpawn({ argv }) {
        // Without an address it is bound at once.
        if (takers.length < 2) takers.push(createServer().listen(Number(argv.at(-1))));
      },
    });
    const lease = await stage.servers.lease(needOf(stage));
    assert.equal(stage.specs.length, 3);
    assert.equal(lease.server.url, `http://127.0.0.1:${stage.specs[2]?.argv.at(-1)}`);
  });

  test("without a free port is not tried", async (t) => {
    const taker = createServer().listen(0, "127.0.0.1");
    t.after(() => new Promise((done) => taker.close(done)));
    await eventually("the port is taken", () => taker.listening);
    const { port } = taker.address() as { port: number };
    const stage = await setStage(t, { ports: { first: port, last: port } });
    await fails(
      stage.servers.lease(needOf(stage)),
      new RegExp(`no port from ${port} to ${port} is free.*opencodePorts`),
    );
    assert.equal(stage.specs.length, 0);
  });

  test("fails where there is no program, with words that help", async (t) => {
    const stage = await setStage(t, { env: { PARLEY_OPENCODE_BIN: undefined, PATH: "/nonexistent" } });
    await fails(stage.servers.lease(needOf(stage)), /parley install opencode/);
  });
});
