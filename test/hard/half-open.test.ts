import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/server.ts";

const CLIENT = fileURLToPath(new URL("./half-open-client.mjs", import.meta.url));
const COUNT = 200;
const LIMIT_MS = 45_000;
const TOKEN = "a-token-of-the-half-open-test-0123456789";

interface Network {
  server: string;
  /** Runs a program on the other side. */
  there: readonly string[];
  cut(): void;
}

/** A network of two machines, of which the second can vanish. Only root can make one. */
function network(t: TestContext): Network | undefined {
  const name = `parley-${process.pid}`;
  const [ours, theirs] = [`pa${process.pid}`, `pb${process.pid}`];
  const ip = (...args: string[]): void => void execFileSync("ip", args, { stdio: "ignore" });
  try {
    ip("netns", "add", name);
  } catch {
    return undefined;
  }
  t.after(() => {
    ip("netns", "del", name);
  });
  ip("link", "add", ours, "type", "veth", "peer", "name", theirs);
  ip("link", "set", theirs, "netns", name);
  ip("addr", "add", "10.231.77.1/24", "dev", ours);
  ip("link", "set", ours, "up");
  ip("-n", name, "addr", "add", "10.231.77.2/24", "dev", theirs);
  ip("-n", name, "link", "set", theirs, "up");
  return {
    server: "10.231.77.1",
    there: ["ip", "netns", "exec", name],
    cut: () => ip("-n", name, "addr", "del", "10.231.77.2/24", "dev", theirs),
  };
}

/** Open files of the server, which is this process. */
const connections = (): number => readdirSync("/proc/self/fd").length;

test(`${COUNT} clients whose network is gone are all cut within 45 s, and leave nothing behind`, async (t) => {
  const net = network(t);
  if (!net) return t.skip("needs the right to make a network");
  const { api, parley, directory } = await startServer(t, { host: net.server, token: TOKEN });
  const { id } = await api.create();
  await api.ask(id, "hello");
  const made = await fetch(`${api.url}/pty?directory=${encodeURIComponent(directory)}`, {
    method: "POST",
    headers: { ...api.headers, "content-type": "application/json" },
    body: "{}",
  });
  const { id: terminal } = (await made.json()) as { id: string };
  const before = connections();
  const { port } = new URL(parley.url);
  const [program = "", ...args] = net.there;
  const child = spawn(
    program,
    [...args, process.execPath, CLIENT, net.server, port, TOKEN, id, terminal, String(COUNT)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  t.after(() => void child.kill("SIGKILL"));
  const [said] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  assert.equal(said, "open");
  assert.ok(connections() >= before + COUNT);
  net.cut();
  const begun = performance.now();
  await eventually("all connections are cut", () => connections() <= before + 5, LIMIT_MS * 2);
  const took = performance.now() - begun;
  t.diagnostic(`${COUNT} connections were cut after ${Math.round(took / 1_000)} s`);
  assert.ok(took < LIMIT_MS, `${took} ms`);
  await api.ask(id, "still there?");
});
