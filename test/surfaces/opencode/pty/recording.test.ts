import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { startRig } from "./rig.ts";

interface Recording {
  calls: {
    method: string;
    path: string;
    request?: unknown;
    headers?: Record<string, string>;
    status: number;
    response: unknown;
  }[];
  events: { type: string; properties: unknown }[];
}

/** The ids, pids, directories and tickets of one run, by the order in which they appear. */
function neutral() {
  const seen: string[] = [];
  const named = (id: string): string => {
    if (!seen.includes(id)) seen.push(id);
    return `pty_${seen.indexOf(id)}`;
  };
  return (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(/pty_\w+/g, named)
        .replaceAll(/"Terminal \w{4}"/g, '"Terminal xxxx"')
        .replaceAll(/"pid":\d+/g, '"pid":1')
        .replaceAll(/"cwd":"[^"]*"/g, '"cwd":"/here"')
        .replaceAll(/"ticket":"[^"]*"/g, '"ticket":"xxx"')
        .replaceAll(/("Invalid PTY connect token request)[^"]*/g, "$1"),
    );
}

test("B10: terminals answer and tell as OpenCode's own were recorded to", async (t) => {
  const path = new URL("../../../golden/opencode/pty.json", import.meta.url);
  const { calls, events } = JSON.parse(await readFile(path, "utf8")) as Recording;
  const shell = process.env.SHELL;
  process.env.SHELL = "/bin/bash";
  t.after(() => {
    process.env.SHELL = shell;
  });
  const rig = await startRig(t);
  const theirs = neutral();
  const ours = neutral();
  const ids = new Map<string, string>();
  for (const { method, path, request, headers, status, response } of calls) {
    const asked = path.replace(/pty_\w+/, (id) => ids.get(id) ?? id);
    const answer = await rig.call<{ id?: string }>(method, asked, request, headers);
    assert.deepEqual([answer.status, ours(answer.body)], [status, theirs(response)], `${method} ${path}`);
    if (method === "POST" && path === "/pty") ids.set((response as { id: string }).id, answer.body.id ?? "");
    if (headers) {
      const client = await rig.join(asked.split("/")[2] ?? "", "?cursor=-1");
      client.send("exit 3\r");
      assert.equal(await client.closed, 1000);
    }
  }
  assert.deepEqual(
    rig.events.map(({ type, properties }) => ours({ type, properties })),
    events.map(theirs),
  );
  assert.ok(rig.events.every(({ directory }) => directory === rig.directory));
});
