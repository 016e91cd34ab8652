import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { onLinux } from "../../src/host/process-identity.ts";
import { reap } from "../../src/host/reaper.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { alive, identify } from "../host/support.ts";
import { eventually } from "../support/eventually.ts";
import { lawfulEvents } from "../support/laws.ts";
import { dataDirectoryOf, type ServerProcess, startProcess } from "../support/process.ts";

test("kill -9 in the middle of a shell turn: it is closed as interrupted, nothing of it runs on, the agent learns of it", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const home = await mkdtemp(join(tmpdir(), "parley-shell-"));
  const servers: ServerProcess[] = [];
  const start = async (): Promise<ServerProcess> => {
    const server = await startProcess({ home });
    servers.push(server);
    return server;
  };
  t.after(async () => {
    for (const server of servers) await server.end("SIGKILL");
    const dataDirectory = dataDirectoryOf(home);
    await reap({ runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory), graceMs: 0 });
    await rm(home, { recursive: true, force: true });
  });

  const first = await start();
  const { id } = await first.api.create();
  const stream = await first.api.stream(id);
  // Two of them leave the process group and take no TERM, one without its environment.
  const leaver = `setsid sh -c 'trap "" TERM; exec sleep 60' & b=$!`;
  const hidden = `a=$(env -i setsid sh -c 'trap "" TERM; echo $$; exec sleep 61 >&2' &)`;
  const command = `trap "" TERM; ${hidden}; ${leaver}; echo pids $$ $a $b; wait`;
  const cut = fetch(`${first.api.url}/session/${id}/shell`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agent: "build", command }),
  }).then((response) => response.text());
  cut.catch(() => {});
  const said = await stream.first("item.delta");
  const pids = (said.type === "item.delta" ? (said.data.delta ?? "") : "").match(/\d+/g)?.map(Number) ?? [];
  const processes = pids.map(identify);
  assert.equal(processes.length, 3);
  await first.end("SIGKILL");
  await assert.rejects(cut, "no answer is better than a wrong one");

  const second = await start();
  await eventually("nothing of the command runs on", async () => !processes.some(alive));
  const events = await lawfulEvents(second.api, id);
  const ends = events.filter((event) => event.type === "turn.ended");
  assert.deepEqual(
    ends.map(({ data }) => data.reason),
    ["interrupted"],
  );
  const { status } = await second.api.session(id);
  assert.equal(status, "idle");
  const { text } = await second.api.ask(id, "Hello");
  assert.match(text, /Hello/);
  const told = (await lawfulEvents(second.api, id)).findLast(
    (event) => event.type === "item.completed" && event.data.item.kind === "message" && event.data.item.role === "user",
  );
  assert.match(JSON.stringify(told), /pids \d+ \d+ \d+.*it was interrupted/);
});
