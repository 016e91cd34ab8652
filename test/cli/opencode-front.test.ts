import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { startFront } from "../../src/cli/opencode/web/front.ts";

interface Asked {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
}

/** A server that keeps what it was asked, and echoes the bytes of a connection that is upgraded. */
async function asking(t: TestContext): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(({ method, url, headers }, answer) => {
    asked.push({ method, url, headers });
    answer.end("answer");
  });
  server.on("upgrade", ({ method, url, headers }, socket, head) => {
    asked.push({ method, url, headers });
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    socket.end(head);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function fronted(t: TestContext) {
  const [pages, api] = [await asking(t), await asking(t)];
  const front = await startFront({
    pages: { url: pages.url, authorization: "Basic private" },
    api: { url: api.url, token: "the-token" },
  });
  t.after(() => front.close());
  const address = new URL(front.address("/work"));
  /** Asks on a connection of its own: the next front may have the same port. */
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const host = { host: "127.0.0.1", port: address.port, agent: false };
    const [answer] = await once(
      request({ ...host, path, headers: { host: address.host, ...headers } }).end(),
      "response",
    );
    await text(answer);
    return answer as IncomingMessage;
  };
  const visit = ({ pathname, search }: URL) => ask(`${pathname}${search}`, { accept: "text/html" });
  const cookie = async (url: URL): Promise<string> => cookieIn(await visit(url));
  return { front, pages, api, address, ask, visit, cookie };
}

function cookieIn({ headers }: IncomingMessage): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

test("the address for a program that opens a browser lets in once, and does not hold the key", async (t) => {
  const { front, address, ask, visit, cookie, api } = await fronted(t);
  const opened = new URL(front.addressForOnce("/work"));
  assert.notEqual(opened.searchParams.get("key"), address.searchParams.get("key"));
  const [first, second] = [await visit(opened), await visit(opened)];
  assert.deepEqual([first.statusCode, second.statusCode, cookieIn(second)], [302, 200, ""]);
  assert.equal(first.headers.location, opened.pathname);
  const got = cookieIn(first);
  assert.ok(!got.includes(opened.searchParams.get("key") ?? "-"), "the cookie is another secret");
  await ask("/session", { cookie: got });
  assert.equal(api.asked.at(-1)?.headers.authorization, "Bearer the-token");
  assert.notEqual(await cookie(address), "", "the printed one stays good");
});

test("without the key nothing gets the token, and no cookie of a browser reaches Parley", async (t) => {
  const { api, address, ask } = await fronted(t);
  for (const cookie of ["", "parley_token=x", `parley_web_${address.port}=wrong`]) await ask("/session", { cookie });
  for (const { headers } of api.asked)
    assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined]);
  assert.equal(api.asked.length, 3);
});

test("a request whose target is a whole address goes nowhere", async (t) => {
  const { api, pages, address, ask, cookie } = await fronted(t);
  const known = { cookie: await cookie(address) };
  for (const path of ["http://other.example/session", "x://other.example/"])
    assert.equal((await ask(path, known)).statusCode, 400, path);
  assert.deepEqual([api.asked, pages.asked], [[], []]);
});

const ODD = [
  "//session",
  "/%2e%2e/config",
  "/assets/..%2fconfig",
  "/assets/../config",
  "/session?file=/a.js",
  "/config",
];

test("no path but those of its files reaches OpenCode's own server", async (t) => {
  const { pages, address, ask, cookie } = await fronted(t);
  const known = { cookie: await cookie(address) };
  for (const path of ODD) await ask(path, known);
  assert.deepEqual(pages.asked, []);
});

test("bytes that come right behind the head of a WebSocket reach Parley", async (t) => {
  const { api, address, cookie } = await fronted(t);
  const socket = connect(Number(address.port), "127.0.0.1");
  const lines = ["GET /pty/1/connect HTTP/1.1", `host: ${address.host}`, "connection: upgrade", "upgrade: websocket"];
  socket.write(`${[...lines, `cookie: ${await cookie(address)}`].join("\r\n")}\r\n\r\nfirst bytes`);
  assert.match(await text(socket), /\r\n\r\nfirst bytes$/);
  assert.equal(api.asked[0]?.headers.authorization, "Bearer the-token");
});
