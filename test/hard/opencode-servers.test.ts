import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createOpenCodeAgent } from "../../src/agents/opencode/agent.ts";
import { Api } from "../../src/agents/opencode/api.ts";
import { createServers } from "../../src/agents/opencode/serve/servers.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { makeHost } from "../host/support.ts";
import { makePlace, makeProject, serversOf } from "../real/opencode-agent/surroundings.ts";
import { eventually } from "../support/eventually.ts";
import { realAgent } from "../support/real-agent.ts";
import { startServer } from "../support/server.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const { program = "", version, skip } = await realAgent("opencode");

describe("more servers of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  test("one that the user runs is used and left running", async (t) => {
    const place = makePlace(t, program);
    const { host, directory } = await makeHost(t);
    const users = createServers({ host, dataDirectory: directory, env: place.env, readyMs: PATIENCE_MS });
    t.after(() => users.close());
    const { server } = await users.lease({ directory: place.root, trusted: true, session: "users" });
    const [, password = ""] = atob((server.headers.authorization ?? "").slice("Basic ".length)).split(":");
    const url = server.url.replace("//", `//opencode:${password}@`);
    const agent = createOpenCodeAgent({ host, dataDirectory: directory, env: place.env, url });

    const plain = makeProject(place, "plain");
    const found = await agent.discover({ directory: plain, trusted: false });
    assert.deepEqual([found.installed, found.version], [true, version]);
    assert.ok(found.models.some(({ id }) => id === "fake/whole"));
    assert.doesNotMatch(JSON.stringify(found), new RegExp(password));
    const loud = makeProject(place, "loud", { "opencode.json": { instructions: ["x.md"] } });
    await assert.rejects(agent.discover({ directory: loud, trusted: false }), /parley trust/);
    assert.ok(await agent.discover({ directory: loud, trusted: true }));
    await agent.close?.();
    assert.equal((await new Api(server, plain).fields("GET", "/path", { limitMs: PATIENCE_MS })).directory, plain);
  });

  test("one that was started for a look ends with Parley", async (t) => {
    const place = makePlace(t, program);
    for (const [name, value] of Object.entries(place.env)) {
      const before = process.env[name];
      t.after(() => (before === undefined ? delete process.env[name] : Object.assign(process.env, { [name]: before })));
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    const server = await startServer(t, {});
    const instance = instanceOf(server.dataDirectory);
    const found = (await server.api.expect(200, "GET", "/v1/agents/opencode")) as { models: { id: string }[] };
    assert.ok(found.models.some(({ id }) => id === "fake/whole"));
    await eventually("its server runs on for a while", () => serversOf(instance).length === 1);
    await server.stop();
    assert.deepEqual(serversOf(instance), []);
  });
});
