import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import { temporary } from "../../../support/server.ts";
import { files, inDirectory, opencodeRig } from "../rig.ts";

test("B9: a session that is got says whether it is busy, so that a client can poll it alone", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  await files(directory, { "README.md": "# Hi\n" });
  const { id } = await client.expect<{ id: string }>(200, "POST", inDirectory("/session", directory), { body: {} });
  const operation = "GET /session/{sessionID}";
  const status = async (): Promise<unknown> =>
    (await client.get<{ status: unknown }>(`/session/${id}`, { operation })).status;
  assert.deepEqual(await status(), { type: "idle" });
  const parts = [{ type: "text", text: "Read README.md and add a line at the end" }];
  await client.expect(204, "POST", `/session/${id}/prompt_async`, { body: { parts } });
  const asked = async (): Promise<boolean> =>
    (await client.get<unknown[]>(inDirectory("/permission", directory))).length > 0;
  await eventually("it asks", asked);
  assert.deepEqual(await status(), { type: "busy" });
  await client.expect(200, "POST", `/session/${id}/abort`);
  assert.deepEqual(await status(), { type: "idle" });
});
