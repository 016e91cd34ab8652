import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import { makeHost } from "../../host/support.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", version, skip } = await realAgent("claude");

const CREDENTIALS = {
  ANTHROPIC_AUTH_TOKEN: undefined,
  CLAUDE_CODE_OAUTH_TOKEN: undefined,
  CLAUDE_CONFIG_DIR: undefined,
};

describe("discovery of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("version, models, modes and commands, with a key and without, in bounded time and once", async (t) => {
    const { host, directory } = await makeHost(t);
    const base = {
      ...CREDENTIALS,
      PARLEY_CLAUDE_BIN: program,
      HOME: directory,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    };
    let starts = 0;
    const counting = {
      spawn(...given: Parameters<typeof host.spawn>) {
        starts++;
        return host.spawn(...given);
      },
    };
    const make = (env: Record<string, string | undefined>) =>
      createClaudeAgent({ host: counting, dataDirectory: directory, env: { ...base, ...env } });

    const agent = make({ ANTHROPIC_API_KEY: "not-a-real-key" });
    const found = await agent.discover();
    assert.deepEqual([found.installed, found.version, found.credentials], [true, version, "found"]);
    assert.ok(found.models.some(({ id }) => id === "default"));
    assert.ok(found.models.some(({ id, name }) => id === "haiku" && name !== undefined));
    assert.ok(found.modes.some(({ id }) => id === "plan"));
    const [effort] = found.models.find(({ id }) => id === "default")?.options ?? [];
    assert.deepEqual(effort?.values?.slice(0, 3), [{ id: "low" }, { id: "medium" }, { id: "high" }]);
    const compact = found.commands?.find(({ name }) => name === "compact");
    assert.ok(compact?.description);
    assert.deepEqual(
      found.commands?.filter(({ name }) => name.startsWith("_")),
      [],
      "commands of the maker alone are not offered",
    );
    assert.match(found.detail ?? "", /credentials in ANTHROPIC_API_KEY/);
    assert.doesNotMatch(JSON.stringify(found), /not-a-real-key/);
    assert.deepEqual(await agent.discover(), found);
    assert.equal(starts, 2, "the second look costs nothing");

    const without = await make({ ANTHROPIC_API_KEY: undefined }).discover();
    assert.deepEqual([without.installed, without.credentials], [true, "missing"]);
    assert.match(without.detail ?? "", /not logged in: run "claude auth login"/);
  });

  test("the version is known, too, when a session has told the rest", async (t) => {
    const { host, directory } = await makeHost(t);
    const env = {
      ...CREDENTIALS,
      PARLEY_CLAUDE_BIN: program,
      HOME: directory,
      ANTHROPIC_API_KEY: "not-a-real-key",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    };
    const agent = createClaudeAgent({ host, dataDirectory: directory, env });
    const session = agent.open({ session: "ses_1", directory, trusted: false, emit() {} });
    await session.ready();
    const found = await agent.discover();
    assert.equal(found.version, version);
    assert.ok(found.models.length > 0);
    await session.close();
  });
});
