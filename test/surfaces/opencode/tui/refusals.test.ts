import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { OpencodeEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { startServer, temporary } from "../../../support/server.ts";
import { openStream } from "../../../support/sse.ts";

const TUI = { "user-agent": "opencode/1.18.33" };
const PROGRAM = { "user-agent": "node" };

interface Global {
  payload: OpencodeEvent;
}

/** A stream, and the toasts that it was sent before a mark. */
async function listen(t: TestContext, url: string, headers: Record<string, string>) {
  const reader = await openStream(url, headers);
  t.after(() => reader.close());
  const events = (): OpencodeEvent[] =>
    (reader.events as unknown as (Global | OpencodeEvent)[]).map((event) =>
      "payload" in event ? event.payload : event,
    );
  const toasts = (): unknown[] =>
    events().flatMap(({ type, properties }) => (type === "tui.toast.show" ? [properties] : []));
  return {
    toasts,
    until: (count: number) => reader.when(() => toasts().length >= count || undefined, `${count} toasts`),
    marked: () =>
      reader.when(() => events().some(({ type }) => type === "tui.session.select") || undefined, "the mark"),
  };
}

test("a refusal is shown in the terminal interface that asked, and nowhere else", async (t) => {
  const { parley, directory } = await startServer(t);
  const other = await temporary(t);
  const client = new OpencodeClient(parley.url);
  const from = (headers: object) => ({ headers: { "x-opencode-directory": directory, ...headers } });
  const { id } = await client.expect<Session>(200, "POST", "/session", { ...from(PROGRAM), body: {} });
  const at = (path: string, where: string): string => `${parley.url}${path}?directory=${encodeURIComponent(where)}`;
  const tui = await listen(t, at("/global/event", directory), TUI);
  const others = await Promise.all([
    listen(t, at("/global/event", other), TUI),
    listen(t, at("/global/event", directory), PROGRAM),
    listen(t, at("/event", directory), TUI),
  ]);

  const refused: [path: string, body: object, message: RegExp][] = [
    [`/session/${id}/command`, { command: "none", arguments: "", parts: [] }, /no command none; there are: /],
    [`/session/${id}/summarize`, { providerID: "scripted", modelID: "nothing" }, /nothing/],
    ["/session", { agent: "wild" }, /wild/],
    [`/session/${id}/share`, {}, /share/i],
    ["/permission/per_none/reply", { reply: "once" }, /per_none/],
  ];
  for (const [index, [path, body, message]] of refused.entries()) {
    const { status } = await client.call("POST", path, { ...from(TUI), body });
    assert.ok(status >= 400, path);
    await tui.until(index + 1);
    const shown = tui.toasts().at(-1) as { message: string; variant: string };
    assert.match(shown.message, message);
    assert.equal(shown.variant, "error");
  }

  // A program gets the error itself, and the interface shows the refusal of a prompt by itself.
  const [path, body] = refused[0] ?? ["", {}];
  await client.call("POST", path, { ...from(PROGRAM), body });
  const prompt = { parts: [{ type: "text", text: "x" }], agent: "wild" };
  assert.equal((await client.call("POST", `/session/${id}/message`, { ...from(TUI), body: prompt })).status, 400);
  // One more that is shown comes after those that are not.
  await client.call("POST", `/session/${id}/command`, { ...from(TUI), body: { command: "last", arguments: "" } });
  await tui.until(refused.length + 1);
  assert.match(JSON.stringify(tui.toasts().at(-1)), /no command last/);
  await client.expect(200, "POST", "/tui/select-session", { ...from(PROGRAM), body: { sessionID: id } });
  for (const one of others.slice(1)) await one.marked();
  assert.deepEqual(
    others.map(({ toasts }) => toasts()),
    [[], [], []],
  );
});
