import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { McpServer } from "../../../src/agents/contract.ts";
import { Api } from "../../../src/agents/opencode/api.ts";
import { Gate } from "../../../src/agents/opencode/gate/gate.ts";
import { createServers } from "../../../src/agents/opencode/serve/servers.ts";
import { reap } from "../../../src/host/reaper.ts";
import { makeHost } from "../../host/support.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../../support/time.ts";
import { makePlace, makeProject, serversOf } from "./surroundings.ts";

const { program = "", version, skip } = await realAgent("opencode");
const GREETER = fileURLToPath(new URL("../../fixtures/agents/mcp-greeter.mjs", import.meta.url));
const CRASHES = fileURLToPath(new URL("crashes.ts", import.meta.url));

describe("servers of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  test("one serves several directories, dies, is replaced, and ends when nobody uses it", async (t) => {
    const place = makePlace(t, program);
    const instance = `test${process.pid}a`;
    const { host, directory } = await makeHost(t, instance);
    const servers = createServers({ host, dataDirectory: directory, env: place.env, idleMs: 1, readyMs: PATIENCE_MS });
    t.after(() => servers.close());
    const [first, second] = [makeProject(place, "first"), makeProject(place, "second")];
    const need = (where: string) => ({ directory: where, trusted: true, session: where });

    const [one, two] = await Promise.all([servers.lease(need(first)), servers.lease(need(second))]);
    assert.ok(one.server === two.server);
    assert.equal(one.server.version, version);
    const [pid = 0, ...more] = serversOf(instance);
    assert.deepEqual(more, []);
    for (const where of [first, second]) {
      const { directory: told } = await new Api(one.server, where).fields("GET", "/path", { limitMs: PATIENCE_MS });
      assert.equal(told, where);
    }
    assert.equal((await fetch(`${one.server.url}/path`)).status, 401, "others do not know its password");

    process.kill(pid, "SIGKILL");
    assert.equal((await one.server.gone).signal, "SIGKILL");
    const next = await servers.lease(need(first));
    assert.equal((await new Api(next.server, first).fields("GET", "/path", { limitMs: PATIENCE_MS })).directory, first);
    assert.equal(serversOf(instance).length, 1);
    next.release();
    await next.server.gone;
    assert.deepEqual(serversOf(instance), []);
  });

  test("one has the servers of tools of its session, and its commands see no secret of theirs or its own", async (t) => {
    const place = makePlace(t, program);
    const { host, directory } = await makeHost(t);
    const gate = new Gate(join(directory, "cache"));
    const servers = createServers({ host, dataDirectory: directory, env: place.env, readyMs: PATIENCE_MS, gate });
    t.after(() => Promise.all([servers.close(), gate.close()]));
    const project = makeProject(place, "project");
    const notes = join(place.root, "notes");
    const command = { command: process.execPath, args: [GREETER, notes], env: { GREETER_TOKEN: "hush" } };
    const mcpServers: McpServer[] = [{ name: "greeter", type: "stdio", ...command }];
    const need = { directory: project, trusted: false, ruled: true, session: "s", mcpServers };
    const { server } = await servers.lease(need);
    assert.equal(readFileSync(notes, "utf8"), "started with hush\n");
    const api = new Api(server, project);
    const limit = { limitMs: PATIENCE_MS };
    assert.deepEqual(await api.fields("GET", "/mcp", limit), { greeter: { status: "connected" } });
    const { id } = await api.fields("POST", "/session", { ...limit, body: {} });
    const model = { providerID: "fake", modelID: "whole" };
    const body = { agent: "build", model, command: "env" };
    const { parts } = await api.fields("POST", `/session/${id}/shell`, { ...limit, body });
    const [{ state }] = parts as [{ state: { output: string } }];
    assert.match(state.output, /^OPENCODE_SERVER_PASSWORD=$/m);
    assert.doesNotMatch(state.output, /hush|PARLEY_TOKEN/);
  });

  test("one that Parley left when it was killed is found and ended by the next start", async (t) => {
    const place = makePlace(t, program);
    const { directory } = await makeHost(t);
    const instance = `test${process.pid}b`;
    const env = { ...process.env, ...place.env, CRASH_DATA: directory, CRASH_INSTANCE: instance };
    const parley = spawn(process.execPath, [CRASHES], { env, stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => parley.kill("SIGKILL"));
    const [url] = (await once(createInterface(parley.stdout), "line")) as [string];
    assert.match(url, /^http:\/\/127\.0\.0\.1:/);
    parley.kill("SIGKILL");
    await once(parley, "exit");
    const [pid] = serversOf(instance);
    assert.ok(pid, "it survives Parley");
    const { ended, left } = await reap({ runDirectory: `${directory}/run`, instance });
    assert.ok(ended.some((stray) => stray.pid === pid));
    assert.deepEqual([left, serversOf(instance)], [[], []]);
  });
});
