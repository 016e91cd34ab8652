import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { onLinux } from "../../src/host/process-identity.ts";
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

for (const streams of [[], ["/event", "/global/event"]]) {
  const heard = streams.length > 0 ? `, with ${streams.join(" and ")} open` : "";
  test(`a second session is answered within 100 ms while an agent says a line of 60 MB${heard}`, (t) =>
    answersMeanwhile(t, streams));
}

async function answersMeanwhile(t: TestContext, streams: readonly string[]): Promise<void> {
  const kinds = ["text", "texts", "output", "objects"];
  const { api, heldUp } = await startProbed(
    t,
    Object.fromEntries(kinds.map((kind) => [kind, agent("bulk", kind, 60)])),
  );
  const other = await api.create();
  for (let warm = 0; warm < 3; warm++) await api.ask(other.id, "hello");
  for (const path of streams) {
    const request = get(`${api.url}${path}`, (response) => response.resume());
    request.on("error", () => undefined);
    t.after(() => void request.destroy());
  }
  /** The longest round trip of the second session while something is done. */
  const worstWhile = async (work: () => Promise<void>): Promise<number> => {
    let worst = 0;
    let over = false;
    const done = work().finally(() => {
      over = true;
    });
    while (!over) {
      const begun = performance.now();
      await api.session(other.id);
      worst = Math.max(worst, performance.now() - begun);
    }
    await done;
    return worst;
  };
  const turn = (agent: string) => async (): Promise<void> => {
    const { id } = await api.create({ agent });
    const stream = await api.stream(id);
    await api.prompt(id, "go");
    await stream.first("turn.ended");
    await stream.close();
  };
  const anchor = await worstWhile(turn("scripted"));
  await heldUp();
  for (const kind of kinds) {
    const worst = await worstWhile(turn(kind));
    const { cpu, wall } = await heldUp();
    t.diagnostic(
      `${kind}: ${worst.toFixed(0)} ms, beside a small turn ${anchor.toFixed(0)} ms; held up ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of work`,
    );
    assert.ok(cpu < 100, `${kind}: the server worked ${cpu} ms in one go`);
    assert.ok(worst < 100 + anchor, `${kind}: a round trip took ${worst} ms, beside a small turn ${anchor} ms`);
  }
}
