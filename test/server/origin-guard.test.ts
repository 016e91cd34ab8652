import assert from "node:assert/strict";
import { test } from "node:test";
import type { Authority } from "../../src/server/guards/addresses.ts";
import { checkOrigin, corsHeaders, originPolicy, preflightHeaders } from "../../src/server/guards/origin-guard.ts";

const policy = originPolicy(["https://app.example", "http://localhost:5173/", "tauri://localhost"]);
const LOCAL: Authority = { name: "localhost", port: 4096 };

interface Row {
  origin?: string | string[];
  host?: Authority;
  site?: string;
  mode?: string;
  verdict: "same" | "listed" | "refused";
}

const ROWS: Row[] = [
  { verdict: "same" },
  { origin: "http://localhost:4096", verdict: "same" },
  { origin: "HTTP://LOCALHOST:4096", verdict: "same" },
  { origin: "http://localhost", host: { name: "localhost" }, verdict: "same" },
  { origin: "http://localhost", host: { name: "localhost", port: 80 }, verdict: "same" },
  { origin: "http://[::1]:4096", host: { name: "::1", port: 4096 }, verdict: "same" },
  { origin: "https://box.example", host: { name: "box.example" }, verdict: "same" },
  { origin: "https://box.example", host: { name: "box.example", port: 443 }, verdict: "same" },
  { origin: "https://app.example", verdict: "listed" },
  { origin: "http://localhost:5173", verdict: "listed" },
  { origin: "tauri://localhost", verdict: "listed" },
  { origin: "null", verdict: "refused" },
  { origin: "", verdict: "refused" },
  { origin: "*", verdict: "refused" },
  { origin: "https://evil.example", verdict: "refused" },
  { origin: "http://app.example", verdict: "refused" },
  { origin: "https://app.example:444", verdict: "refused" },
  { origin: "https://app.example.evil.example", verdict: "refused" },
  { origin: "https://evil-app.example", verdict: "refused" },
  { origin: "https://app.example/", verdict: "refused" },
  { origin: "https://app.example@evil.example", verdict: "refused" },
  { origin: "http://localhost:4097", verdict: "refused" },
  { origin: "http://localhost", verdict: "refused" },
  { origin: "https://localhost:4096", verdict: "refused" },
  { origin: "http://127.0.0.1:4096", verdict: "refused" },
  { origin: "http://localhost.evil.example:4096", verdict: "refused" },
  { origin: "file://", verdict: "refused" },
  { origin: ["http://localhost:4096", "https://evil.example"], verdict: "refused" },
  { site: "cross-site", mode: "no-cors", verdict: "refused" },
  { site: "same-site", mode: "no-cors", verdict: "refused" },
  { site: "cross-site", mode: "websocket", verdict: "refused" },
  { site: "cross-site", mode: "navigate", verdict: "same" },
  { site: "same-origin", mode: "cors", verdict: "same" },
  { site: "none", mode: "navigate", verdict: "same" },
];

type Judge = (row: Row) => Row["verdict"];

const real: Judge = ({ origin = [], host = LOCAL, site, mode }) => {
  const verdict = checkOrigin({ origins: [origin].flat(), site, mode }, host, policy);
  if (!verdict.ok) return "refused";
  return verdict.listed === undefined ? "same" : "listed";
};

const misjudged = (judge: Judge): Row[] => ROWS.filter((row) => judge(row) !== row.verdict);

test("only our own origin and the listed ones pass", () => assert.deepEqual(misjudged(real), []));

const first = (row: Row): string => [row.origin ?? []].flat()[0] ?? "";
const WEAK: [string, Judge][] = [
  ["checks nothing", () => "same"],
  ["takes a beginning for the whole", (row) => (first(row).startsWith("https://app.example") ? "listed" : real(row))],
  ["lets null pass", (row) => (first(row) === "null" ? "same" : real(row))],
  ["compares names without ports", (row) => (/^http:\/\/localhost(:|$)/.test(first(row)) ? "same" : real(row))],
  ["does not look at Sec-Fetch-Site", (row) => real({ ...row, site: undefined })],
];
for (const [name, judge] of WEAK) {
  test(`the table catches a guard that ${name}`, () => assert.notDeepEqual(misjudged(judge), []));
}

test("a refusal names the flag that would allow it", () => {
  const verdict = checkOrigin({ origins: ["https://evil.example"] }, LOCAL, policy);
  assert.ok(!verdict.ok);
  assert.equal(verdict.error.status, 403);
  assert.match(verdict.error.message, /--cors https:\/\/evil\.example/);
});

for (const wrong of ["*", "null", "app.example", "https://app.example/path", "https://*.example"]) {
  test(`--cors ${wrong} is refused`, () => assert.throws(() => originPolicy([wrong]), /--cors/));
}

test("a listed origin is echoed, and nothing else ever is", () => {
  assert.equal(corsHeaders("https://app.example")["access-control-allow-origin"], "https://app.example");
  assert.equal(corsHeaders("https://app.example").vary, "Origin");
  assert.deepEqual(corsHeaders(undefined), { vary: "Origin" });
});

test("a preflight allows what was asked for, if it is a list of names", () => {
  const answer = preflightHeaders({ headers: "authorization, x-own", privateNetwork: "true" });
  assert.equal(answer["access-control-allow-headers"], "authorization, x-own");
  assert.equal(answer["access-control-allow-private-network"], "true");
  assert.equal(preflightHeaders({ headers: "a: b" })["access-control-allow-headers"], undefined);
});
