import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, findBrowser, NO_BROWSER, startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const TOKEN = "walnut-token-0123456789";
const OTHER_TOKEN = "hazelnut-token-0123456789";
/** A name that is neither https nor this machine's own: a browser takes it for an address of the local network. */
const NETWORK_NAME = "parley.test";

const program = await findBrowser();

describe("getting in to the console with a browser", { skip: program ? false : NO_BROWSER, timeout: GROUP_MS }, () => {
  const closers: (() => Promise<void>)[] = [];
  const owner = { after: (close: () => Promise<void>) => void closers.push(close) };
  let server: TestServer;
  let other: TestServer;
  let browser: Browser;
  const violations: string[] = [];

  const linkOf = async ({ parley }: TestServer, token = TOKEN, host = ""): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${parley.url}/v1/console-links`, { method: "POST", headers });
    const { url } = (await answer.json()) as { url: string };
    return host === "" ? url : url.replace("127.0.0.1", host);
  };

  async function tab(url: string): Promise<Page> {
    const page = await browser.context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => {
      if (/content security policy|trusted/i.test(message.text())) violations.push(message.text());
    });
    page.on("pageerror", (error) => violations.push(error.message));
    await page.goto(url);
    return page;
  }

  /** The server's answer to a request of the page for the API. */
  const status = (page: Page): Promise<number> =>
    page.evaluate(
      async () => (await fetch("/v1/agents", { headers: { "x-parley-client": "test" }, cache: "no-store" })).status,
    );

  /** Waits until the console is drawn: the login page before it is left for a fresh load of the same address. */
  async function isIn(page: Page): Promise<void> {
    await page.locator(".shell").waitFor();
    await eventually(`the page at ${page.url()} is let in`, async () => (await status(page)) === 200);
  }

  const logOut = (page: Page): Promise<number> =>
    page.evaluate(async () => (await fetch("/console/logout", { method: "POST" })).status);

  /** Every address that the tab remembers. */
  async function addresses(page: Page): Promise<string[]> {
    const session = await browser.context.newCDPSession(page);
    const { entries } = await session.send("Page.getNavigationHistory");
    return entries.map(({ url }) => url);
  }

  before(async () => {
    server = await startServer(owner, { token: TOKEN, allowHosts: [NETWORK_NAME] });
    other = await startServer(owner, { token: OTHER_TOKEN });
    browser = await startBrowser(program ?? "", {
      env: { ...(process.env as Record<string, string>) },
      hosts: [NETWORK_NAME],
    });
    owner.after(() => browser[Symbol.asyncDispose]());
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  test("a link lets it in, is nowhere in its addresses, and is good once", async () => {
    const link = await linkOf(server);
    const code = link.split("=")[1] ?? "";
    const page = await tab(link);
    await isIn(page);
    assert.equal(page.url(), `${server.parley.url}/console/`);
    const remembered = await addresses(page);
    assert.ok(remembered.includes(`${server.parley.url}/console/`));
    assert.ok(!remembered.join().includes(code), remembered.join());
    assert.equal(await page.evaluate(() => document.cookie), "", "no script can read the cookie");
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    for (const secret of [code, TOKEN]) assert.ok(!kept.includes(secret));
    await page.reload();
    assert.equal(await status(page), 200, "a reload stays in");
    assert.equal(await logOut(page), 204);
    assert.equal(await status(page), 401);
    await page.close();
    const again = await tab(link);
    await again.getByText(/was used already/).waitFor();
    assert.equal(await status(again), 401);
    await again.close();
  });

  test("the token lets it in, too, and a wrong one is refused in words", async () => {
    const page = await tab(`${server.parley.url}/`);
    assert.equal(page.url(), `${server.parley.url}/console/`, "from / a browser comes to the console");
    const field = page.locator('input[type="password"]');
    await field.fill("wrong-token-0123456789");
    await field.press("Enter");
    await page.getByText(/is not the token of this server/).waitFor();
    await field.fill(TOKEN);
    await field.press("Enter");
    await isIn(page);
    assert.ok(!(await addresses(page)).join().includes(TOKEN));
    await logOut(page);
    await page.close();
  });

  test("two servers of one host have a browser in both", async () => {
    const [one, two] = [await tab(await linkOf(server)), await tab(await linkOf(other, OTHER_TOKEN))];
    await isIn(one);
    await isIn(two);
    assert.deepEqual([await status(one), await status(two)], [200, 200]);
    await logOut(two);
    assert.deepEqual([await status(one), await status(two)], [200, 401]);
    await logOut(one);
    await Promise.all([one.close(), two.close()]);
  });

  test("it works by plain http in a local network, where browsers keep no secure cookie", async () => {
    const page = await tab(await linkOf(server, TOKEN, NETWORK_NAME));
    await isIn(page);
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await page.reload();
    assert.equal(await status(page), 200);
    await logOut(page);
    await page.close();
  });

  test("a page of another port gets nothing by the cookie, whatever it tries", async () => {
    const own = await tab(await linkOf(server));
    await isIn(own);
    const site = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<title>x"),
    );
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    owner.after(async () => void site.close());
    const page = await browser.context.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const tried = await page.evaluate(async (url) => {
      const outcome = (work: Promise<unknown>): Promise<string> =>
        work.then(
          () => "done",
          () => "failed",
        );
      const sent = (path: string, init: RequestInit) =>
        fetch(`${url}${path}`, { credentials: "include", ...init }).then(({ type, status }) => `${type} ${status}`);
      const socket = (): Promise<void> =>
        new Promise((resolve, reject) => {
          const opened = new WebSocket(`${url.replace("http", "ws")}/acp`);
          opened.onopen = () => resolve();
          opened.onerror = () => reject(new Error("refused"));
        });
      const json = { "content-type": "application/json" };
      const text = { "content-type": "text/plain" };
      return {
        read: await outcome(sent("/v1/sessions", {})),
        blind: await sent("/v1/sessions", { mode: "no-cors" }),
        write: await outcome(sent("/v1/sessions", { method: "POST", headers: json, body: "{}" })),
        blindWrite: await sent("/v1/sessions", { method: "POST", mode: "no-cors", headers: text, body: "{}" }),
        link: await outcome(sent("/v1/console-links", { method: "POST" })),
        logout: await outcome(sent("/console/logout", { method: "POST" })),
        socket: await outcome(socket()),
      };
    }, server.parley.url);
    const failed = "failed";
    assert.deepEqual(tried, {
      read: failed,
      blind: "opaque 0",
      write: failed,
      blindWrite: "opaque 0",
      link: failed,
      logout: failed,
      socket: failed,
    });
    await page.evaluate((url) => {
      const form = Object.assign(document.createElement("form"), { method: "POST", action: `${url}/v1/sessions` });
      document.body.append(form);
      form.submit();
    }, server.parley.url);
    await page.waitForURL(`${server.parley.url}/v1/sessions`);
    assert.match((await page.textContent("body")) ?? "", /may not use this server/);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { sessions } = (await (await fetch(`${server.parley.url}/v1/sessions`, { headers })).json()) as {
      sessions: unknown[];
    };
    assert.deepEqual(sessions, []);
    assert.equal(await status(own), 200, "nor is the browser logged out");
    await logOut(own);
    await Promise.all([own.close(), page.close()]);
  });

  test("the policy was never broken, and is in force", async () => {
    assert.deepEqual(violations, []);
    const page = await browser.context.newPage();
    await page.goto(`${server.parley.url}/console/`);
    const sink = page.evaluate(() => {
      document.body.innerHTML = "<b>x</b>";
    });
    await assert.rejects(sink, /TrustedHTML/);
    const inline = await page.evaluate(() => {
      const style = document.createElement("style");
      style.textContent = "body { color: rgb(1, 2, 3) }";
      document.head.append(style);
      return getComputedStyle(document.body).color;
    });
    assert.notEqual(inline, "rgb(1, 2, 3)");
    await page.close();
  });
});
