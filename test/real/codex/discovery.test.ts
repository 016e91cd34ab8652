import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createCodexAgent } from "../../../src/agents/codex/agent.ts";
import { codexHome, surroundings } from "../../agents/codex/stage.ts";
import { makeHost } from "../../host/support.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", version, skip } = await realAgent("codex");
const NOBODY = "http://127.0.0.1:9";

describe("discovery of the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("version, models, modes and efforts, with a provider of the user's own, once", async (t) => {
    const { host, directory } = await makeHost(t);
    let starts = 0;
    const counting = {
      spawn(...given: Parameters<typeof host.spawn>) {
        starts++;
        return host.spawn(...given);
      },
    };
    const env = surroundings(program, directory, NOBODY, { model: "my-own-model" });
    const agent = createCodexAgent({ host: counting, dataDirectory: directory, env });
    const found = await agent.discover();
    assert.deepEqual([found.installed, found.version, found.title], [true, version, "Codex"]);
    assert.notEqual(found.credentials, "missing");
    assert.equal(found.defaultModel, "my-own-model");
    const model = found.models.find(({ id }) => id === "gpt-5.5");
    assert.ok(model?.name);
    assert.ok(model.options?.some(({ id, values }) => id === "effort" && values?.some((value) => value.id === "high")));
    assert.deepEqual(found.modes[0]?.id, "default");
    for (const mode of ["ask", "auto", "read-only", "plan", "full-access"])
      assert.ok(found.modes.some(({ id }) => id === mode));
    assert.deepEqual(await agent.discover(), found);
    assert.equal(starts, 1, "the second look costs nothing");
  });

  test("who is logged in and who is not, and no key is shown", async (t) => {
    const { host, directory } = await makeHost(t);
    const env = { ...surroundings(program, directory, NOBODY), SCRIPTED_KEY: undefined };
    const config = join(codexHome(directory), "config.toml");
    writeFileSync(config, `openai_base_url = "${NOBODY}/v1"\ncheck_for_update_on_startup = false\n`);
    const make = () => createCodexAgent({ host, dataDirectory: directory, env });
    const without = await make().discover();
    assert.deepEqual([without.installed, without.credentials], [true, "missing"]);
    assert.match(without.detail ?? "", /codex login/);
    assert.equal(await make().usable?.(), false);

    writeFileSync(join(codexHome(directory), "auth.json"), JSON.stringify({ OPENAI_API_KEY: "not-a-real-key" }));
    const found = await make().discover();
    assert.equal(found.credentials, "found");
    assert.doesNotMatch(JSON.stringify(found), /not-a-real-key/);
    assert.equal(await make().usable?.(), true);
  });
});
