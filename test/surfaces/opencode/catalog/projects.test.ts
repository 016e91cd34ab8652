import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Discovery } from "../../../../src/agents/contract.ts";
import { sampleAgent } from "../../../../src/agents/line-protocol/launch.ts";
import { Catalog } from "../../../../src/surfaces/opencode/catalog/catalog.ts";
import { startServer, temporary } from "../../../support/server.ts";

test("agents, models and commands are those of the request's directory, where it is trusted, and can be chosen there", async (t) => {
  const [project, elsewhere] = [await temporary(t), await temporary(t)];
  const { argv, modes } = sampleAgent();
  const agents = { able: { command: argv, modes, can: ["discover"] as const } };
  const trust = { file: join(await temporary(t), "trusted"), configured: [] };
  const { api } = await startServer(t, { agents, defaultAgent: "able", trust });
  const own = { models: [{ id: "its-own" }], modes: [{ id: "build" }, { id: "review" }], commands: [{ name: "ship" }] };
  await writeFile(join(project, ".sample-agent.json"), JSON.stringify(own));
  const get = async (path: string, directory: string): Promise<string> => {
    const response = await fetch(`${api.url}${path}?directory=${encodeURIComponent(directory)}`);
    assert.equal(response.status, 200, path);
    return response.text();
  };
  const LISTS = {
    "/agent": /"review"/,
    "/provider": /"its-own"/,
    "/config/providers": /"its-own"/,
    "/command": /"ship"/,
  };
  const newer = { "/api/agent": /"review"/, "/api/model": /"its-own"/, "/api/command": /"ship"/ };
  const lists = Object.entries({ ...LISTS, ...newer });
  for (const [path, word] of lists) assert.doesNotMatch(await get(path, project), word, `${path} is not trusted`);
  await api.expect(200, "PUT", "/v1/trust", { directory: project, trusted: true });
  for (const [path, word] of lists) {
    assert.match(await get(path, project), word, path);
    assert.doesNotMatch(await get(path, elsewhere), word, `${path} elsewhere`);
  }
  const create = (directory: string): Promise<Response> =>
    fetch(`${api.url}/session?directory=${encodeURIComponent(directory)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ agent: "review", model: { providerID: "able", id: "its-own" } }),
    });
  assert.equal((await create(project)).status, 200);
  assert.equal((await create(elsewhere)).status, 400);
});

test("an agent that is slow to say what a directory has holds up nobody, and is listed as it is in general", async () => {
  const found = (detail: string): Discovery => ({
    installed: true,
    credentials: "found",
    detail,
    models: [],
    modes: [],
  });
  const asked: string[] = [];
  const gateway = {
    defaultAgent: "quick",
    agents: () => ["quick", "slow", "same", "broken"],
    discoversProjects: (name: string) => name !== "same",
    discover: (name: string, directory?: string): Promise<Discovery> => {
      asked.push(`${name} ${directory ?? "in general"}`);
      if (directory !== undefined && name === "slow") return new Promise(() => {});
      if (directory !== undefined && name === "broken") return Promise.reject(new Error("no such directory"));
      return Promise.resolve(found(`${name} ${directory ?? "in general"}`));
    },
  };
  const catalog = new Catalog({ gateway, firstMs: 50 });
  const details = (await catalog.agents("/p")).map(({ discovery }) => discovery.detail);
  assert.deepEqual(details.sort(), ["broken in general", "quick /p", "same in general", "slow in general"]);
  assert.ok(!asked.includes("same /p"), "an agent that answers the same everywhere is asked in general");
});
