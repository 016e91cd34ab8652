import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Logger } from "../../../src/core/logger.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import { startServer } from "../../support/server.ts";

const ROOT = new URL("../../../", import.meta.url);

/** The surface of docs/surfaces.md, with its imports as if it lay in src/surfaces/plain. */
function surfaceOfPage(): string {
  const page = readFileSync(new URL("docs/surfaces.md", ROOT), "utf8");
  const [, text = ""] = /^```ts\n(\/\/ src\/surfaces\/plain\/app\.ts\n.*?)^```$/ms.exec(page) ?? [];
  return text
    .replaceAll('"../../', `"${ROOT.href}src/`)
    .replaceAll('"../', `"${ROOT.href}src/surfaces/`)
    .replaceAll('"zod"', JSON.stringify(import.meta.resolve("zod")));
}

test("the small surface of docs/surfaces.md runs as it stands", async (t) => {
  const { api, parley } = await startServer(t);
  const directory = await mkdtemp(join(tmpdir(), "parley-surface-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, "app.ts"), surfaceOfPage());
  const { createPlain } = (await import(join(directory, "app.ts"))) as {
    createPlain(gateway: Gateway, logger: Logger): RequestListener;
  };
  const server = createServer(createPlain(parley.gateway, silentLogger));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { id } = await api.create();
  const post = async (path: string, body: string): Promise<[number, Record<string, string>]> => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body });
    return [reply.status, (await reply.json()) as Record<string, string>];
  };
  const [status, answer] = await post(`/plain/${id}`, JSON.stringify({ text: "hello" }));
  assert.equal(status, 200);
  assert.equal(answer.reason, "end_turn");
  assert.notEqual(answer.text, "");
  for (const [path, body, code, says] of [
    [`/plain/${id}`, "{", 400, /expected JSON as the body, got "{"/],
    [`/plain/${id}`, '{"text":""}', 422, /the body is not as expected/],
    ["/plain/ses_0", '{"text":"x"}', 404, /ses_0/],
    ["/elsewhere", "{}", 404, /POST \/plain\/\{session\} is all there is/],
  ] as const) {
    const [got, { error = "" }] = await post(path, body);
    assert.equal(got, code, error);
    assert.match(error, says);
  }
});
