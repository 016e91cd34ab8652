import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { sharedStage } from "../agents/opencode/shared-stage.ts";
import { CONFIG, SCRIPT } from "../support/opencode/agent-script.ts";
import { type RunResult, runAttached } from "../support/opencode/clients.ts";
import { EventTape } from "../support/opencode/event-tape.ts";
import { sdkV2 } from "../support/opencode/sdk.ts";
import { Surroundings } from "../support/opencode/surroundings.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

describe("OpenCode's other clients with OpenCode behind Parley", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script: SCRIPT, config: CONFIG });
  const surroundings = new Surroundings();
  after(() => surroundings[Symbol.dispose]());

  test("the SDK: a prompt, an edit that is allowed with its diff, and the lists", async () => {
    const { api } = stage();
    const directory = stage().project("sdk");
    const sdk = sdkV2({ url: api.url, directory });
    const stop = new AbortController();
    const { stream } = await sdk.event.subscribe({}, { signal: stop.signal });
    await using tape = new EventTape(stream, stop);
    await tape.until("server.connected", ({ type }) => type === "server.connected");
    const sessionID = (await sdk.session.create({})).data?.id ?? "";
    await sdk.session.promptAsync({ sessionID, parts: [{ type: "text", text: "[[edit]] go" }] });
    const { properties } = await tape.until("permission.asked", ({ type }) => type === "permission.asked");
    const { permission, metadata } = properties as { permission: string; metadata: { filepath: string; diff: string } };
    assert.deepEqual([permission, metadata.filepath], ["edit", join(directory, "README.md")]);
    assert.match(metadata.diff, /\+added/);
    await sdk.permission.reply({ requestID: String(properties.id), reply: "once" });
    await tape.idle(sessionID);
    assert.deepEqual(tape.texts(sessionID), ["I read it.", "I change it.", "Changed."]);
    assert.match(readFileSync(join(directory, "README.md"), "utf8"), /added/);
    const agents = (await sdk.app.agents({})).data?.map(({ name, mode }) => `${name} ${mode}`) ?? [];
    for (const one of ["build primary", "plan primary", "reviewer primary", "general subagent"])
      assert.ok(agents.includes(one), `${one} of ${agents.join(", ")}`);
    const commands = (await sdk.command.list({})).data?.map(({ name }) => name) ?? [];
    assert.ok(commands.includes("hello"), commands.join(", "));
  });

  test("run --attach prints the whole answer, and a permission is refused without --auto", async () => {
    const directory = stage().project("run");
    const run = (args: readonly string[]): Promise<RunResult> =>
      runAttached({ program, surroundings, url: stage().api.url, directory, args });
    const { code, stdout } = await run(["hello"]);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: "You said: hello\n" });
    const refused = await run(["--format", "json", "[[touch]] no"]);
    assert.equal(refused.code, 0);
    assert.match(refused.stderr, /permission requested: bash .*auto-rejecting/);
    const tools = refused.events.filter(({ type }) => type === "tool_use") as unknown as {
      part: { state: { status: string } };
    }[];
    assert.deepEqual(
      tools.map(({ part }) => part.state.status),
      ["error"],
    );
  });
});
