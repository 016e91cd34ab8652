import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { onLinux } from "../../src/host/process-identity.ts";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import { startAsker } from "../support/asker.ts";
import { eventually } from "../support/eventually.ts";
import { assertNoGap, lawfulEvents } from "../support/laws.ts";
import { startProbed } from "../support/probed.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { agent } from "../support/server.ts";

async function server(t: TestContext): Promise<ServerProcess> {
  const home = await mkdtemp(join(tmpdir(), "parley-huge-"));
  const agents = { large: agent("huge-line", 64), larger: agent("huge-line", 100) };
  const started = await startProcess({ home, agents, flags: ["--no-native"] });
  t.after(async () => {
    await started.end("SIGTERM");
    await rm(home, { recursive: true, force: true });
  });
  return started;
}

async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes = ""] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

test("a line of 64 MB goes the whole way, cut, from the agent to a stream that is open and to one that resumes", async (t) => {
  const { api } = await server(t);
  const { id } = await api.create({ agent: "large" });
  const live = await api.stream(id);
  const { text, reason } = await api.ask(id, "go");
  assert.equal(reason, "end_turn");
  assert.ok(text.length > 1024 * 1024);
  assert.match(text, /x\n\(… 629\d{5} bytes left out …\) after$/);
  const resumed = await api.stream(id);
  for (const stream of [live, resumed]) {
    await stream.first("turn.ended");
    assertNoGap(stream.events);
    const whole = stream.events.some(
      (event) => event.type === "item.completed" && event.data.item.kind === "message" && event.data.item.text === text,
    );
    assert.ok(whole);
    await stream.close();
  }
  await lawfulEvents(api, id);
});

test("lines of 100 MB are skipped and told, their turns live, and their memory is given back", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const { api, pid } = await server(t);
  const { id } = await api.create({ agent: "larger" });
  const plain = await api.create();
  await api.ask(plain.id, "hello");
  const before = await memoryOf(pid);
  for (let turn = 1; turn <= 3; turn++) {
    assert.equal((await api.ask(id, "go")).reason, "end_turn");
    const events = await lawfulEvents(api, id);
    const reports = events.filter((event) => event.type === "agent.unparsed");
    assert.equal(reports.length, turn);
    assert.ok(reports.every((event) => event.data.reason === "line_too_large" && event.data.bytes === 100_000_000));
  }
  let after = 0;
  await eventually("its memory is within 50 MB of what it was", async () => {
    after = await memoryOf(pid);
    return after < before + 50;
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${before} MB before, ${after} MB after`);
  });
  t.diagnostic(`${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`);
});

for (const streams of [[], ["/event", "/global/event"], ["/event", "/api/event", "/v1/stream"]]) {
  const heard = streams.length > 0 ? `, with ${streams.join(" and ")} open` : "";
  test(`a second session is answered within 100 ms while an agent says a line of 60 MB${heard}`, (t) =>
    answersMeanwhile(t, streams));
}

const MEGABYTES = 60;
/** The ways to say it: those of the line protocol, Claude Code's and that of the Agent Client Protocol. */
const KINDS = ["text", "texts", "output", "objects", "claude", "acp-like"];
const program = (name: string): string => fileURLToPath(new URL(`../fixtures/agents/${name}.mjs`, import.meta.url));
const promptFor = (kind: string): string => (["claude", "acp-like"].includes(kind) ? `bulk ${MEGABYTES}` : "go");

async function answersMeanwhile(t: TestContext, streams: readonly string[]): Promise<void> {
  const lines = KINDS.slice(0, 4).map((kind) => [kind, agent("bulk", kind, MEGABYTES)] as const);
  const acp = { acp: [process.execPath, program("acp-as-told")] } satisfies ConfiguredAgent;
  const env = { PARLEY_CLAUDE_BIN: program("claude-as-told"), ANTHROPIC_API_KEY: "none" };
  const { api, heldUp } = await startProbed(t, { ...Object.fromEntries(lines), "acp-like": acp }, [], env);
  const other = await api.create();
  for (let warm = 0; warm < 3; warm++) await api.ask(other.id, "hello");
  for (const path of streams) {
    const request = get(`${api.url}${path}`, (response) => response.resume());
    request.on("error", () => undefined);
    t.after(() => void request.destroy());
    await once(request, "response");
  }
  const turn = async (agent: string, words: string): Promise<void> => {
    const { id } = await api.create({ agent });
    const stream = await api.stream(id);
    await api.prompt(id, words);
    assert.equal((await stream.first("turn.ended")).data.reason, "end_turn");
    await stream.close();
  };
  // The modules of the agents and of the streams are loaded once.
  for (const kind of ["scripted", "claude", "acp-like"]) await turn(kind, "count 1");
  const longest = startAsker(t, `${api.url}/v1/sessions/${other.id}`);
  for (const kind of KINDS) {
    await longest();
    await heldUp();
    await turn(kind, promptFor(kind));
    const { asked, idle } = await longest();
    const { cpu, wall, waited } = await heldUp();
    const held = `held up ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of work and ${waited.toFixed(0)} ms without a processor`;
    t.diagnostic(`${kind}: ${asked.toFixed(0)} ms, of an idle server ${idle.toFixed(0)} ms; ${held}`);
    assert.ok(cpu < 80, `${kind}: the server worked ${cpu} ms in one go`);
    // Others on the machine are no fault of the server.
    const most = 100 + Math.max(idle, waited);
    assert.ok(asked < most, `${kind}: a round trip took ${asked} ms, of an idle server ${idle} ms; ${held}`);
  }
}
