import assert from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import type { TerminalInfo } from "../../../../src/host/terminals/contract.ts";
import { startServer } from "../../../support/server.ts";
import { callJson } from "./rig.ts";

interface Told {
  type: string;
  properties: Record<string, unknown>;
}

/** The events of a stream until one passes. */
async function readUntil(response: Response, passes: (event: Told) => boolean): Promise<Told[]> {
  const seen: Told[] = [];
  const parser = createParser({ onEvent: ({ data }) => seen.push(JSON.parse(data)) });
  for await (const chunk of response.body ?? []) {
    parser.feed(Buffer.from(chunk).toString());
    if (seen.some(passes)) break;
  }
  return seen;
}

test("B10: a terminal's life is on the event stream of its directory, and on no other", async (t) => {
  const { parley, directory } = await startServer(t);
  const follow = (where: string) => fetch(`${parley.url}/event?directory=${encodeURIComponent(where)}`);
  const [here, elsewhere] = await Promise.all([follow(directory), follow("/tmp")]);
  const body = { command: "/bin/sh", args: ["-c", "exit 9"], title: "short" };
  const { body: info } = await callJson<TerminalInfo>(`${parley.url}/pty`, "POST", body);
  const exited = (event: Told) => event.type === "pty.exited";
  const told = (await readUntil(here, exited)).filter(({ type }) => type.startsWith("pty."));
  assert.deepEqual(
    told.map(({ type, properties }) => ({ type, properties })),
    [
      { type: "pty.created", properties: { info } },
      { type: "pty.exited", properties: { id: info.id, exitCode: 9 } },
    ],
  );
  await callJson(`${parley.url}/pty?directory=/tmp`, "POST", body);
  const others = (await readUntil(elsewhere, exited)).filter(({ type }) => type.startsWith("pty."));
  assert.equal(others.length, 2);
  assert.ok(!JSON.stringify(others).includes(info.id));
});
