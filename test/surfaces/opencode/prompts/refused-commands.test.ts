import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporary } from "../../../support/server.ts";
import { sessionsRig } from "../sessions-rig.ts";

test("a command that is refused runs nothing that its template says", async (t) => {
  const { client, work } = await sessionsRig(t, { "*": [{ text: "ok" }] }, { trust: { configured: ["/"] } });
  const marker = join(await temporary(t), "ran");
  const elsewhere = await temporary(t);
  await writeFile(join(elsewhere, "secret.txt"), "secret");
  await symlink(join(elsewhere, "secret.txt"), join(work, "link.txt"));
  await mkdir(join(work, ".opencode", "command"), { recursive: true });
  await writeFile(join(work, ".opencode", "command", "mark.md"), `Now: !\`touch ${marker}\``);
  const { id } = await client.create();
  const link = { type: "file", mime: "text/plain", url: pathToFileURL(join(work, "link.txt")).href };
  const refused: object[] = [{ messageID: "nope" }, { parts: [link] }, { agent: "wild" }, { model: "house/none" }];
  for (const more of refused) {
    const { status } = await client.call("POST", `/session/${id}/command`, { command: "mark", arguments: "", ...more });
    assert.equal(status, 400, JSON.stringify(more));
    assert.ok(!existsSync(marker), JSON.stringify(more));
  }
  await client.expect(200, "POST", `/session/${id}/command`, { command: "mark", arguments: "" });
  assert.ok(existsSync(marker));
});
