import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { exportHeader } from "../../src/core/history/exported.ts";
import { Home } from "./support.ts";

/** Writes to the clipboard of many terminals. */
const ESCAPE = "\u001b]52;c;ZXZpbA==\u0007";

function assertTame(what: string, { stdout, stderr }: { stdout: string; stderr: string }): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  assert.doesNotMatch(`${stdout}${stderr}`, /[\u0007\u001b\u009b\u202e]/, what);
}

/** The lines of an export by somebody who means harm. */
function forged(agent: string, more: object[] = []): string {
  const session = "ses_forged1";
  const started = { type: "session.started", data: { agent, directory: "/tmp", version: 1, title: `t ${ESCAPE}` } };
  const events = [started, ...more].map((one, at) => {
    return { id: `${session}:${at + 1}`, seq: at + 1, session, time: 1_000, source: "agent", ...one };
  });
  const header = exportHeader(session, [{ id: session, last: events.length }]);
  return [header, ...events].map((line) => JSON.stringify(line)).join("\n");
}

test("no text of an export reaches the terminal as it is: not in a refusal, in what is said of it, nor afterwards", async () => {
  await using home = new Home();
  const input = forged(`agent ${ESCAPE}`);
  const refused = await home.run(["import", "-"], { input: forged("a", [{ type: `x${ESCAPE}`, data: {} }]) });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /events of type x/);
  assertTame("a refusal", refused);
  const imported = await home.run(["import", "-"], { input });
  assert.equal(imported.code, 0, imported.stderr);
  assertTame("import", imported);
  for (const args of [["sessions"], ["attach", "ses_forged1"], ["events", "ses_forged1"]]) {
    const done = await home.run(args);
    assert.equal(done.code, 0, done.stderr);
    assertTame(args.join(" "), done);
  }
  assertTame("run", await home.run(["run", "--session", "ses_forged1", "go on"]));
});

test("a mistake in the file of a cloned project is told without its control characters", async () => {
  await using home = new Home();
  home.write("work/parley.jsonc", JSON.stringify({ [`key ${ESCAPE}`]: 1, [`\u202e${ESCAPE}`]: 2 }));
  for (const args of [["sessions"], ["doctor"], ["trust", "--list"]]) {
    const done = await home.run(args, { cwd: home.work });
    assertTame(args.join(" "), done);
    if (args[0] !== "trust") assert.match(`${done.stdout}${done.stderr}`, /unknown key/, args.join(" "));
  }
});

test("nothing that an ACP agent says of itself reaches the terminal as it is", async () => {
  await using home = new Home();
  const program = fileURLToPath(new URL("../fixtures/agents/acp-as-told.mjs", import.meta.url));
  const told = {
    initialize: { protocolVersion: 1, agentInfo: { name: ESCAPE, title: ESCAPE, version: `1${ESCAPE}` } },
    "session/new": {
      sessionId: "sess-stand-in",
      models: { currentModelId: "m", availableModels: [{ modelId: `m${ESCAPE}`, name: ESCAPE }] },
      modes: { currentModeId: "a", availableModes: [{ id: `a${ESCAPE}`, name: ESCAPE }] },
    },
  };
  home.configure({
    agents: { evil: { acp: [process.execPath, program], title: "Evil", env: { STAND_IN: JSON.stringify(told) } } },
  });
  const listed = await home.run(["agents"]);
  assert.match(listed.stdout, /^evil .*52;c;/m);
  assertTame("agents", listed);
});
