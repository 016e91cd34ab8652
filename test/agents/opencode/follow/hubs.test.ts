import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Hubs, type Listener } from "../../../../src/agents/opencode/follow/hubs.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import { eventually } from "../../../support/eventually.ts";
import { CUT, Otherwise, StandIn } from "../stand-in.ts";

class Ear implements Listener {
  readonly own: string;
  readonly events: unknown[] = [];
  readonly log: string[] = [];

  constructor(own: string) {
    this.own = own;
  }

  owns(session: string): boolean {
    return session === this.own;
  }

  event({ type }: Fields): void {
    this.events.push(type);
  }

  lost(): void {
    this.log.push("lost");
  }

  connected(): void {
    this.log.push("connected");
  }
}

describe("the hub of a directory", { concurrency: true }, () => {
  test("is one for all sessions of a directory of a server", async (t) => {
    const [stand, other] = [await StandIn.open(t), await StandIn.open(t)];
    const hubs = new Hubs();
    const [server, second] = [stand.server, other.server];
    const hub = hubs.of(server, "/a");
    assert.equal(hubs.of(server, "/a"), hub);
    const more = [hubs.of(server, "/b"), hubs.of(second, "/a")];
    for (const one of more) assert.notEqual(one, hub);
    for (const one of [hub, ...more]) {
      const ear = new Ear("x");
      one.join(ear);
      one.leave(ear);
    }
    assert.notEqual(hubs.of(server, "/a"), hub, "a hub that nobody listens to is closed");
    const ear = new Ear("x");
    hubs.of(server, "/a").join(ear);
    hubs.of(server, "/a").leave(ear);
  });

  test("tells each event to the one that it is for, and to all where nobody knows", async (t) => {
    const stand = await StandIn.open(t);
    const hub = new Hubs().of(stand.server, "/a");
    const [one, two] = [new Ear("ses_1"), new Ear("ses_2")];
    hub.join(one);
    hub.join(two);
    await hub.ready();
    assert.ok(hub.isConnected);
    stand.send("first", { sessionID: "ses_1" });
    stand.send("second", { sessionID: "ses_2" });
    stand.send("strange", { sessionID: "ses_3" });
    stand.send("all");
    await eventually("all came", () => two.events.includes("all"));
    assert.deepEqual(one.events, ["first", "strange", "all"]);
    assert.deepEqual(two.events, ["second", "strange", "all"]);
    assert.deepEqual(one.log, ["connected"]);
    hub.leave(one);
    hub.leave(one);
    stand.send("more", { sessionID: "ses_2" });
    await eventually("the other still hears", () => two.events.includes("more"));
    hub.leave(two);
    await eventually("nobody listens", () => stand.streams.size === 0);
  });

  test("looks a session up once for all who ask at once, and anew for those who ask later", async (t) => {
    const stand = await StandIn.open(t);
    const hub = new Hubs().of(stand.server, "/a");
    const ear = new Ear("x");
    hub.join(ear);
    t.after(() => hub.leave(ear));
    stand.on("GET /session/ses_1", { id: "ses_1" });
    const found = await Promise.all([hub.session("ses_1"), hub.session("ses_1")]);
    assert.deepEqual(found, [{ id: "ses_1" }, { id: "ses_1" }]);
    assert.equal(stand.of("GET /session/ses_1").length, 1);
    await hub.session("ses_1");
    assert.equal(stand.of("GET /session/ses_1").length, 2);
  });

  test("tells a session that is not there from one that could not be asked for", async (t) => {
    const stand = await StandIn.open(t);
    const hub = new Hubs().of(stand.server, "/a");
    const ear = new Ear("x");
    hub.join(ear);
    t.after(() => hub.leave(ear));
    stand.on("GET /session/ses_1", new Otherwise(404)).on("GET /session/ses_2", CUT);
    stand.on("GET /session/ses_3", new Otherwise(502, "bad gateway"));
    assert.deepEqual(await hub.session("ses_1"), {});
    assert.equal(await hub.session("ses_2"), undefined);
    assert.equal(await hub.session("ses_3"), undefined);
  });
});
