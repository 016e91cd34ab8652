import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, type TestContext, test } from "node:test";
import { EventStream } from "../../../../src/agents/opencode/follow/event-stream.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import { eventually } from "../../../support/eventually.ts";
import { staysSo } from "../../../support/time.ts";
import { StandIn } from "../stand-in.ts";

const GREETING = 'data: {"type":"server.connected","properties":{}}\n\n';
const SSE = { "content-type": "text/event-stream" };

class Heard {
  readonly events: Fields[] = [];
  readonly log: string[] = [];

  readonly listener = {
    event: (event: Fields): void => void this.events.push(event),
    lost: (): void => void this.log.push("lost"),
    connected: (): void => void this.log.push("connected"),
  };
}

interface Setting {
  stand: StandIn;
  heard: Heard;
  listen(silenceMs?: number): EventStream;
}

async function set(t: TestContext): Promise<Setting> {
  const stand = await StandIn.open(t);
  const heard = new Heard();
  const listen = (silenceMs?: number): EventStream => {
    const stream = new EventStream(stand.api(), heard.listener, silenceMs === undefined ? {} : { silenceMs });
    t.after(() => stream.close());
    return stream;
  };
  return { stand, heard, listen };
}

describe("the events of a directory", { concurrency: true }, () => {
  test("come from the moment it is ready", async (t) => {
    const { stand, heard, listen } = await set(t);
    const stream = listen();
    await stream.ready();
    assert.ok(stream.isConnected);
    assert.equal(stand.heard[0]?.query.get("directory"), "/work");
    assert.equal(stand.heard[0]?.headers.authorization, "Basic x");
    stand.send("a", { n: 1 });
    await eventually("the event came", () => heard.events.length > 0);
    assert.deepEqual(heard.events, [{ type: "a", properties: { n: 1 } }]);
    assert.deepEqual(heard.log, ["connected"]);
  });

  test("are told once, however often they are delivered", async (t) => {
    const { stand, heard, listen } = await set(t);
    await listen().ready();
    for (const id of ["evt_1", "evt_2", "evt_1"]) stand.send("a", { id }, id);
    for (const _ of [1, 2]) stand.send("without an id");
    stand.send("last");
    await eventually("the last came", () => heard.events.at(-1)?.type === "last");
    assert.deepEqual(
      heard.events.map(({ id, type }) => id ?? type),
      ["evt_1", "evt_2", "without an id", "without an id", "last"],
    );
  });

  test("that are no events are passed over", async (t) => {
    const { stand, heard, listen } = await set(t);
    await listen().ready();
    for (const stream of stand.streams) stream.write("data: {broken\n\ndata: [1]\n\ndata: null\n\n: beat\n\n");
    stand.send("last");
    await eventually("the last came", () => heard.events.length > 0);
    assert.deepEqual(
      heard.events.map(({ type }) => type),
      ["last"],
    );
    assert.deepEqual(heard.log, ["connected"]);
  });

  test("come again after the connection was lost", async (t) => {
    const { stand, heard, listen } = await set(t);
    const stream = listen();
    await stream.ready();
    for (const one of stand.streams) one.destroy();
    await eventually("it is connected again", () => heard.log.length === 3);
    assert.deepEqual(heard.log, ["connected", "lost", "connected"]);
    await stream.ready();
    stand.send("a");
    await eventually("the event came", () => heard.events.length > 0);
  });

  test("come again where the connection brings nothing any more", async (t) => {
    const { stand, heard, listen } = await set(t);
    const opened: ServerResponse[] = [];
    stand.onStream = (response) => {
      opened.push(response);
      response.writeHead(200, SSE).write(GREETING);
    };
    listen(150);
    await eventually("it has connected again", () => heard.log.filter((one) => one === "connected").length > 1);
    assert.deepEqual(heard.log.slice(0, 3), ["connected", "lost", "connected"]);
    await eventually("the silent connection is closed", () => opened[0]?.closed === true);
  });

  test("are not taken for silent while the heart beats", async (t) => {
    const { stand, heard, listen } = await set(t);
    stand.onStream = (response) => {
      response.writeHead(200, SSE).write(GREETING);
      const beat = setInterval(() => response.write(": beat\n\n"), 20);
      response.on("close", () => clearInterval(beat));
    };
    await listen(60_000).ready();
    await staysSo("it is connected", () => heard.log.length === 1, 200);
  });

  for (const [what, answer] of [
    ["refuses", (response: ServerResponse) => void response.writeHead(401).end("{}")],
    [
      "answers with a page",
      (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
    ["cuts the line", (response: ServerResponse) => void response.destroy()],
    ["closes an empty stream", (response: ServerResponse) => void response.writeHead(200, SSE).end()],
  ] as const)
    test(`are asked for with growing pauses from a server that ${what}`, async (t) => {
      const { stand, heard, listen } = await set(t);
      const times: number[] = [];
      stand.onStream = (response) => {
        times.push(performance.now());
        answer(response);
      };
      listen();
      await eventually("it was asked five times", () => times.length >= 5);
      // The pauses before these are at least 0.75 of 50, 100, 200 and 400 ms.
      const whole = (times[4] ?? 0) - (times[0] ?? 0);
      assert.ok(whole >= 0.75 * 750 - 10, `${whole} ms`);
      assert.deepEqual(heard.log, []);
      stand.onStream = undefined;
      await eventually("it is connected", () => heard.log.includes("connected"));
    });

  test("end when it is closed", async (t) => {
    const { stand, heard, listen } = await set(t);
    const stream = listen();
    await stream.ready();
    stream.close();
    await eventually("the connection is closed", () => stand.streams.size === 0);
    const asked = stand.heard.length;
    await staysSo("nothing is asked or told", () => stand.heard.length === asked && heard.log.length === 1, 200);
  });
});
