import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProjectSetting } from "../../../src/core/trust.ts";
import { LeftOut, type Looks } from "../../../src/gateway/trust/left-out.ts";

function project(settings: ProjectSetting[]): Looks & { settings: { looks: number } } {
  const look = {
    looks: 0,
    async take() {
      this.looks++;
      return settings;
    },
  };
  return { untrusted: true, settings: look };
}

test("a project without settings is looked at once for each start of an agent", async () => {
  const [agent, left] = [project([]), new LeftOut("/work")];
  for (const start of [1, 1, 1, 2, 2]) assert.equal(await left.look(agent, start), undefined);
  assert.equal(agent.settings.looks, 2);
});

test("a note is given until its turn came to it, and by another start only where it says something new", async () => {
  const settings = [{ path: "AGENTS.md" }];
  const [agent, left] = [project(settings), new LeftOut("/work")];
  const note = await left.look(agent, 1);
  assert.match(note ?? "", /AGENTS\.md/);
  assert.equal(await left.look(agent, 1), note, "the turn ended before it was told");
  left.told(note ?? "", 1);
  for (const start of [1, 2, 2]) assert.equal(await left.look(agent, start), undefined);
  settings.push({ path: "opencode.json" });
  assert.match((await left.look(agent, 3)) ?? "", /opencode\.json/);
});
