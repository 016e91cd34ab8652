import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { startServer } from "./support.ts";

const CLIENT = new URL("../../src/client/index.ts", import.meta.url).href;

/** Takes away what Node 20 lacks, in the child alone. */
const OLDER = `
for (const [owner, names] of [
  [Promise, ["withResolvers", "try"]],
  [Array, ["fromAsync"]],
  [Object, ["groupBy"]],
  [Map, ["groupBy"]],
  [Set.prototype, ["union", "difference", "intersection", "isSubsetOf"]],
  [Iterator.prototype, ["map", "filter", "toArray", "some", "find", "take", "drop", "flatMap"]],
  [RegExp, ["escape"]],
  [Uint8Array, ["fromBase64"]],
]) for (const name of names) delete owner[name];
delete globalThis.Iterator;`;

test("the client runs on Node 20: a run, its outcome and a stream that is left", async () => {
  await using server = await startServer();
  const program = `${OLDER}
const { createClient } = await import(${JSON.stringify(CLIENT)});
const parley = createClient({ url: ${JSON.stringify(server.url)} });
const session = await parley.sessions.create({ directory: ${JSON.stringify(server.directory)} });
for await (const event of parley.session(session).run("hello")) {
  if (event.type === "item.delta" && event.data.role === "assistant") process.stdout.write(event.data.delta ?? "");
}
const { reason } = await parley.session(session).run("again").outcome();
for await (const { seq } of parley.session(session).events({ signal: AbortSignal.timeout(600_000) })) if (seq > 2) break;
console.log(" " + reason);
`;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  assert.match((await run).stdout, /You said: hello end_turn\n$/);
});
