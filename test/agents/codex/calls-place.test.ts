import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { callsPlace } from "../../../src/agents/codex/calls/place.ts";

test("calls are told in the user's own place for running programs, apart for each data directory, else in the data directory", (t) => {
  const runtime = mkdtempSync(join(tmpdir(), "parley-runtime-"));
  t.after(() => rmSync(runtime, { recursive: true }));
  const [one, other] = ["/data/one", "/data/other"].map((data) => callsPlace(data, runtime));
  assert.equal(dirname(dirname(one ?? "")), runtime);
  assert.notEqual(one, other);
  for (const none of [undefined, "", "relative", join(runtime, "none")])
    assert.equal(callsPlace("/data/one", none), "/data/one/codex-calls");
});
