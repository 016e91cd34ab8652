import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Api } from "../../src/agents/opencode/api.ts";
import { MessageIds } from "../../src/agents/opencode/message-id.ts";
import { promptBody } from "../../src/agents/opencode/prompt-body.ts";
import { createServers } from "../../src/agents/opencode/serve/servers.ts";
import { type Fields, listIn, textIn } from "../../src/core/json/fields.ts";
import { makeHost } from "../host/support.ts";
import { makePlace, makeProject } from "../real/opencode-agent/surroundings.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const LIMIT = { limitMs: PATIENCE_MS };

describe("a message that the real OpenCode is given twice, because its first answer was lost", {
  skip,
  timeout: GROUP_MS,
}, () => {
  test("is one message with each of its texts and files once", async (t) => {
    const place = makePlace(t, program);
    const project = makeProject(place, "repeats");
    const { host, directory } = await makeHost(t);
    const servers = createServers({ host, dataDirectory: directory, env: place.env, readyMs: PATIENCE_MS });
    t.after(() => servers.close());
    const { server } = await servers.lease({ directory: project, trusted: true, session: "repeats" });
    const api = new Api(server, project);
    const { id } = await api.fields("POST", "/session", { body: {}, ...LIMIT });
    const message = new MessageIds(true).next();
    const parts = [
      { type: "text", text: "First" },
      { type: "text", text: "Second", synthetic: true },
      { type: "file", path: join(project, "README.md") },
      { type: "file", url: "data:text/plain;base64,aGVsbG8=", name: "hello.txt" },
    ] as const;
    const prompt = { id: "msg_p", parts: [...parts] };
    const body: Fields = { ...promptBody(prompt, message, { model: "fake/whole" }, project), noReply: true };
    for (let time = 0; time < 2; time++) await api.ask("POST", `/session/${id}/message`, { body, ...LIMIT });
    const kept = (await api.list("GET", `/session/${id}/message`, LIMIT)) as (Fields & { parts: Fields[] })[];
    assert.equal(kept.length, 1);
    // The program reads a file into texts of its own, for which nobody can choose ids.
    const ids = listIn(body, "parts").map((part) => part.id);
    const own = kept[0]?.parts.filter((part) => ids.includes(part.id)) ?? [];
    const rest = kept[0]?.parts.filter((part) => !ids.includes(part.id)) ?? [];
    assert.deepEqual(
      own.map((part) => textIn(part, "text") ?? textIn(part, "filename")),
      ["First", "Second", "README.md", "hello.txt"],
    );
    for (const part of rest) assert.equal(part.synthetic, true, JSON.stringify(part));
  });
});
