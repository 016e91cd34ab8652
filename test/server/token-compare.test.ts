import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { tokenVerifier } from "../../src/server/guards/auth.ts";

const TOKEN = "k".repeat(43);
const CANDIDATES = ["", "k", `!${TOKEN.slice(1)}`, `${TOKEN.slice(0, -1)}!`, `${TOKEN}k`, "k".repeat(8_192), TOKEN];

// test/hard/token-timing measures what this counts.
test("each candidate is compared once, in constant time, and as a digest of the same length as every other", (t) => {
  const { mock } = t.mock.method(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const verify = tokenVerifier(TOKEN);
  assert.deepEqual(CANDIDATES.map(verify), [false, false, false, false, false, false, true]);
  const lengths = mock.calls.map(({ arguments: compared }) => compared.map(({ byteLength }) => byteLength));
  assert.deepEqual(
    lengths,
    CANDIDATES.map(() => [32, 32]),
  );
});
