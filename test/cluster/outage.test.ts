import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { lawfulEvents } from "../support/laws.ts";
import { needsPostgres } from "../support/postgres.ts";
import { strays } from "../support/process.ts";
import { stage } from "./stage.ts";

const options = { ...needsPostgres, timeout: 180_000 };

/** The state of a process, such as T for one that is stopped. */
const stateOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] ?? "";

test("a database that is away for longer than all leases ends no turn, and streams stay open", options, async (t) => {
  const { node, postgres } = await stage(t);
  const [a, b] = [await node("a", { leaseMs: 1_000 }), await node("b", { leaseMs: 1_000 })];
  const { id } = await a.api.create();
  const stream = await b.api.stream(id);
  const outcome = a.api.ask(id, "[[slow 6000]]");
  await stream.first("item.delta");
  const agents = strays(a.dataDirectory).map(({ pid }) => pid);
  assert.ok(agents.length > 0, "an agent runs");
  await postgres.halt("immediate");
  await eventually("the agents are frozen", () => agents.every((pid) => stateOf(pid) === "T"));
  const refused = await a.api.call("POST", `/v1/sessions/${id}/prompts`, { text: "now" });
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assert.equal((await b.api.call("GET", "/ready")).status, 503);
  assert.equal((await b.api.call("GET", "/health")).status, 200);
  await postgres.run();
  await eventually("the agents go on", () => agents.every((pid) => stateOf(pid) !== "T"));
  assert.equal((await outcome).reason, "end_turn");
  await stream.first("turn.ended");
  const ends = (await lawfulEvents(b.api, id)).filter(({ type }) => type === "turn.ended");
  assert.equal(ends.length, 1);
  await stream.close();
});
