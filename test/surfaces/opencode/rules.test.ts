import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { EventOf, ParleyEvent } from "../../../src/core/events/event.ts";
import { type SessionsRig, sessionsRig, tools } from "./sessions-rig.ts";

/** With only `git status` allowed, each of these once made the file. */
const AROUND = [
  "git status; touch made",
  "git status && touch made",
  "git status | touch made",
  "git status $(touch made)",
  "git status `touch made`",
  "git status > made",
  "git status\ntouch made",
  "git status <<EOF\n$(touch made)\nEOF",
];
/** With only `touch` denied, so did these. */
const DESPITE = ["A=1 touch made", "true; touch made", " touch made"];

const bash = (command: string) => ({ name: "bash", input: { command } });
const script = (lines: readonly string[]) =>
  Object.fromEntries(lines.map((line, at) => [`line${at}`, [{ tools: [bash(line)] }, { text: "Done." }]]));

function resolved(event: ParleyEvent): event is EventOf<"permission.resolved"> {
  return event.type === "permission.resolved";
}

async function assertNoneRan({ server, work }: SessionsRig, session: string, count: number): Promise<void> {
  const answers = (await server.api.events(session))
    .filter(resolved)
    .map(({ data }) => `${data.outcome} by ${data.by}`);
  assert.deepEqual(answers, Array(count).fill("reject by rule"));
  assert.equal(existsSync(join(work, "made")), false);
}

test("the universal API's rules hold for every command of a line, with the house agent", async (t) => {
  const rig = await sessionsRig(
    t,
    script([...AROUND, ...DESPITE, "echo yes && git status --short", "npm run deploy prod"]),
  );
  const { api } = rig.server;
  const one = await api.create({
    directory: rig.work,
    permissions: [
      { action: "*", pattern: "*", verdict: "deny" },
      { action: "bash", pattern: "git status *", verdict: "allow" },
    ],
  });
  for (const at of AROUND.keys()) await api.ask(one.id, `[[line${at}]]`);
  await assertNoneRan(rig, one.id, AROUND.length);
  const many = await api.create({
    directory: rig.work,
    permissions: [
      { action: "*", pattern: "*", verdict: "allow" },
      { action: "bash", pattern: "touch *", verdict: "deny" },
      { action: "bash", pattern: "npm run deploy prod*", verdict: "deny" },
    ],
  });
  for (const at of DESPITE.keys()) await api.ask(many.id, `[[line${AROUND.length + at}]]`);
  await api.ask(many.id, `[[line${AROUND.length + DESPITE.length + 1}]]`);
  await assertNoneRan(rig, many.id, DESPITE.length + 1);
  await api.ask(many.id, `[[line${AROUND.length + DESPITE.length}]]`);
  const last = (await api.events(many.id)).filter(resolved).at(-1);
  assert.deepEqual([last?.data.outcome, last?.data.by], ["once", "rule"]);
});

test("the permission of an OpenCode session holds for every command of a line", async (t) => {
  const rig = await sessionsRig(t, script(AROUND));
  const { id } = await rig.client.create({
    permission: [
      { permission: "*", pattern: "*", action: "deny" },
      { permission: "bash", pattern: "git status *", action: "allow" },
    ],
  });
  for (const at of AROUND.keys()) {
    const [tool] = tools(await rig.client.ask(id, `[[line${at}]]`));
    assert.notEqual(tool?.state.status, "completed");
  }
  await assertNoneRan(rig, id, AROUND.length);
});

const LINES = ["git status -s && echo a > made.log", "git status --long", "git status; touch made"];

test("an always for a command is shown before it is given, holds for its family and for no line around it", async (t) => {
  const rig = await sessionsRig(t, script(LINES));
  const { api } = rig.server;
  const { id } = await api.create({ directory: rig.work });
  const first = api.ask(id, "[[line0]]");
  await rig.until(id, ({ type }) => type === "permission.requested");
  const [ask] = await api.asks(id);
  assert.ok(ask?.kind === "permission");
  assert.equal(ask.request.command, LINES[0]);
  assert.deepEqual(ask.request.patterns, ["git status *", "echo *", "> made.log"]);
  const label = ask.request.options.find(({ kind }) => kind === "always")?.label;
  assert.equal(label, "Allow for this session: git status *, echo *, > made.log");
  const answer = (given: string, outcome: string): Promise<unknown> =>
    api.expect(200, "POST", `/v1/sessions/${id}/asks/${given}`, { outcome });
  await answer(ask.id, "always");
  await first;
  const second = api.ask(id, "[[line2]]");
  const around = await rig.until(id, ({ type, data }) => type === "permission.requested" && data.command === LINES[2]);
  await answer((around as EventOf<"permission.requested">).data.ask, "reject");
  await second;
  await rig.server.restart();
  const later = rig.server.api;
  await later.ask(id, "[[line1]]");
  const answers = (await later.events(id)).filter(resolved).map(({ data }) => `${data.outcome} by ${data.by}`);
  assert.deepEqual(answers, ["always by client", "reject by client", "once by rule"]);
  assert.equal(existsSync(join(rig.work, "made")), false);
});
