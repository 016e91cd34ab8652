import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpencodeEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { logs, startServer, type TestServer } from "../../../support/server.ts";
import { Listener } from "../listener.ts";

type Read = "readAll" | "readAllBack" | "lostTo";

/** A read that waits until it is let go. */
class Stop {
  readonly reached = Promise.withResolvers<void>();
  readonly go = Promise.withResolvers<void>();
}

/** A log whose next read of a kind can be made to wait. */
class HeldLog {
  readonly #stops = new Map<Read, Stop>();
  readonly #losing = new Set<() => void>();

  readonly open: typeof logs.open = async (options) => {
    const log = await logs.open(options);
    return {
      ...log,
      readAll: (query) => this.#pass("readAll", () => log.readAll(query)),
      readAllBack: (query) => this.#pass("readAllBack", () => log.readAllBack(query)),
      lostTo: () => this.#pass("lostTo", async () => 0),
      listenAll: (listener, lost) => {
        if (lost) this.#losing.add(lost);
        return log.listenAll(listener, lost);
      },
    };
  };

  /** Tells those who follow all sessions that their events are gone, as a failover does. */
  lose(): void {
    for (const lost of [...this.#losing]) lost();
    this.#losing.clear();
  }

  holdNext(read: Read): Stop {
    const stop = new Stop();
    this.#stops.set(read, stop);
    return stop;
  }

  async #pass<T>(read: Read, work: () => Promise<T>): Promise<T> {
    const stop = this.#stops.get(read);
    this.#stops.delete(read);
    stop?.reached.resolve();
    await stop?.go.promise;
    return work();
  }
}

/** A session with a turn, and a client that has heard all of it and went away. */
async function heardAndLeft({ api }: TestServer): Promise<{ id: string; listener: Listener }> {
  const { id } = await api.create();
  const listener = new Listener(`${api.url}/event`);
  await listener.connect();
  await api.ask(id, "hello");
  await listener.idle(id);
  await listener.leave();
  return { id, listener };
}

test("a client that comes back with its cursor hears the events that come while the streams begin after a restart", async (t) => {
  const server = await startServer(t);
  const { id, listener } = await heardAndLeft(server);
  const held = new HeldLog();
  await server.restart({ openLog: held.open });
  listener.url = `${server.api.url}/event`;
  const begin = held.holdNext("readAllBack");
  const follow = held.holdNext("readAll");
  const connected = listener.connect({ resume: true });
  await begin.reached.promise;
  const { receipt } = await server.api.ask(id, "while the streams begin");
  begin.go.resolve();
  await follow.reached.promise;
  await connected;
  follow.go.resolve();
  await server.api.ask(id, "afterwards");
  await listener.idle(id);
  assert.ok(listener.mirror.messages.has(receipt.prompt), "the turn that came meanwhile was told");
  await listener.leave();
});

test("a client that is still being told of what it missed hears the events that are not stored", async (t) => {
  const held = new HeldLog();
  const server = await startServer(t, { openLog: held.open });
  const { id, listener } = await heardAndLeft(server);
  await server.api.ask(id, "while it is away");
  const missed = held.holdNext("readAll");
  const connected = listener.connect({ resume: true });
  await missed.reached.promise;
  const client = new OpencodeClient(server.parley.url);
  await client.expect(200, "POST", "/tui/show-toast", { body: { message: "hello", variant: "info" } });
  missed.go.resolve();
  await connected;
  await listener.idle(id);
  const isToast = ({ type }: OpencodeEvent): boolean => type === "tui.toast.show";
  assert.ok(listener.heard.some(isToast), "the toast was told");
  await listener.leave();
});

test("a client that comes while the streams begin anew hears what comes then", async (t) => {
  const held = new HeldLog();
  const server = await startServer(t, { openLog: held.open });
  const { id, listener } = await heardAndLeft(server);
  const asked = held.holdNext("lostTo");
  const connected = listener.connect({ resume: true });
  await asked.reached.promise;
  held.lose();
  asked.go.resolve();
  await connected;
  const { receipt } = await server.api.ask(id, "afterwards");
  await listener.idle(id);
  assert.ok(listener.mirror.messages.has(receipt.prompt), "the turn was told");
  await listener.leave();
});
