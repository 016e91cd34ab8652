import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { GROUP_MS } from "../support/time.ts";
import { type ConsoleStage, openConsole } from "./stage.ts";

/** Takes the place of notifications, of the focus and of being hidden, which a headless browser has not. */
function standIn(): void {
  const shown: string[] = [];
  class Standin {
    static permission = "granted";
    onclick: (() => void) | null = null;
    constructor(title: string) {
      shown.push(title);
    }
    close(): void {}
  }
  Object.assign(globalThis, { Notification: Standin, shown, away: false });
  document.hasFocus = () => false;
  Object.defineProperty(document, "hidden", { get: () => Reflect.get(globalThis, "away") });
}

const noticesOf = (page: Page): Promise<string[]> => page.evaluate(() => Reflect.get(globalThis, "shown"));

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Reflect.set(globalThis, "away", value);
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

/** Says something that a reload would forget. */
const remember = (page: Page): Promise<unknown> => page.evaluate(() => Object.assign(globalThis, { kept: true }));
const assertNotReloaded = async (page: Page): Promise<void> =>
  assert.ok(await page.evaluate(() => Reflect.get(globalThis, "kept") === true), "the page was loaded anew");

const isLive = (page: Page): Promise<void> => page.locator(".side .link-state.live").waitFor();
const card = (page: Page, text: string) => page.locator("article.ask", { hasText: text });

describe("several tabs, and connections that break", { timeout: GROUP_MS }, () => {
  const closing: (() => Promise<void>)[] = [];
  const tabs: Page[] = [];
  let found: ConsoleStage | undefined;
  before(async () => {
    found = await openConsole({ after: (close) => closing.unshift(close) });
  });
  after(async () => {
    for (const close of closing) await close();
  });
  const inStage = (name: string, run: (stage: ConsoleStage) => Promise<void>): void => {
    test(name, async (t) => {
      if (!found) return t.skip(NO_BROWSER);
      // A tab that a failed test leaves would lead, and keep one of the six connections.
      t.after(() => Promise.all(tabs.splice(0).map((page) => page.close())));
      await run(found);
    });
  };
  /** A tab with stand-ins, whose console is live. */
  async function tab(stage: ConsoleStage, path = ""): Promise<Page> {
    const page = await stage.open("nowhere");
    tabs.push(page);
    await page.addInitScript(standIn);
    await page.goto(new URL(`/console/${path}`, page.url()).href);
    await isLive(page);
    return page;
  }

  inStage("two tabs show one session alike, and one answers for both", async (stage) => {
    const session = await stage.begin("[[ask make both]]");
    const both = [await tab(stage, `s/${session}`), await tab(stage, `s/${session}`)] as const;
    for (const page of both) await card(page, "make both").waitFor();
    await card(both[1], "make both").getByRole("button", { name: "Allow once" }).click();
    for (const page of both) {
      await page.locator(".turn.over").waitFor();
      await card(page, "make both").waitFor({ state: "detached" });
    }
    // Not innerText: a browser leaves out what a tab in the background does not paint.
    const [first, second] = await Promise.all(both.map((page) => page.locator(".rows").allTextContents()));
    assert.match(first?.join("\n") ?? "", /make both/);
    assert.deepEqual(first, second);
  });

  inStage("one tab calls a person, and the next one does when it is gone", async (stage) => {
    const both = [await tab(stage), await tab(stage)] as const;
    const all = async (): Promise<string[]> => (await Promise.all(both.map(noticesOf))).flat();
    const session = await stage.begin("[[ask first call]]", { title: "Calls" });
    for (const page of both) await card(page, "first call").waitFor();
    await eventually("somebody is called", async () => (await all()).length > 0);
    assert.deepEqual(await all(), ["An agent needs you: Calls"]);
    const [leader, other] = (await noticesOf(both[0])).length > 0 ? both : [both[1], both[0]];
    await leader.close();
    await stage.server.api.call("POST", `/v1/sessions/${session}/cancel`);
    await eventually("the turn is over", async () => (await stage.server.api.session(session)).turn === null);
    await stage.server.api.call("POST", `/v1/sessions/${session}/prompts`, { text: "[[ask second call]]" });
    await eventually("the other tab calls", async () => (await noticesOf(other)).some((one) => /needs you/.test(one)));
    await stage.server.api.call("POST", `/v1/sessions/${session}/cancel`);
  });

  inStage("what is done and not looked at is still new after a reload", async (stage) => {
    const page = await tab(stage);
    const session = await stage.begin("Say hello", { title: "Done unseen" });
    const unread = page.locator(".side-list section", { hasText: "Done, unread" }).getByText("Done unseen");
    await unread.waitFor();
    await page.reload();
    await unread.waitFor();
    await unread.click();
    await page.locator(".turn.over").waitFor();
    await unread.waitFor({ state: "detached" });
    assert.equal((await stage.server.api.session(session)).turn, null);
  });

  inStage("a hidden tab lets its stream go, and is right again when it is looked at", async (stage) => {
    const leader = await tab(stage);
    const page = await tab(stage);
    await remember(page);
    let ended = 0;
    page.on("requestfailed", (request) => {
      if (request.url().includes("/v1/stream")) ended += 1;
    });
    await setHidden(page, true);
    await eventually("the stream is let go", async () => ended > 0);
    const session = await stage.begin("[[ask while hidden]]", { title: "Unseen so far" });
    await card(leader, "while hidden").waitFor();
    assert.equal(await card(page, "while hidden").count(), 0);
    await setHidden(leader, true);
    await stage.server.api.call("POST", `/v1/sessions/${session}/cancel`);
    await card(leader, "while hidden").waitFor({ state: "detached" });
    await stage.server.api.call("POST", `/v1/sessions/${session}/prompts`, { text: "[[ask once more]]" });
    await setHidden(page, false);
    await card(page, "once more").waitFor();
    assert.equal(await card(page, "while hidden").filter({ hasNotText: "by" }).count(), 0);
    await page.locator(".session-row", { hasText: "Unseen so far" }).waitFor();
    await assertNotReloaded(page);
    await stage.server.api.call("POST", `/v1/sessions/${session}/cancel`);
  });

  inStage("a connection that is cut mid-stream is made again, and nothing is missing", async (stage) => {
    const session = await stage.begin("[[slow 60000]]");
    const page = await tab(stage, `s/${session}`);
    await remember(page);
    await page.locator(".message").waitFor();
    stage.proxy.refuse();
    await page.locator(".side .link-state.reconnecting").waitFor();
    await stage.server.api.call("POST", `/v1/sessions/${session}/cancel`);
    await eventually("the turn is over", async () => (await stage.server.api.session(session)).turn === null);
    assert.equal(await page.locator(".turn.over").count(), 0);
    stage.proxy.heal();
    await isLive(page);
    await page.locator(".turn.over").waitFor();
    const events = await stage.server.api.events(session);
    const said = events.flatMap(({ type, data }) =>
      type === "item.completed" && data.item.kind === "message" && data.item.role === "assistant"
        ? [data.item.text?.trim().replace(/\s+/g, " ")]
        : [],
    );
    const shown = await page.locator(".message .markdown").allTextContents();
    assert.deepEqual(
      shown.map((text) => text.trim().replace(/\s+/g, " ")),
      said,
    );
    await assertNotReloaded(page);
  });

  inStage("a server that starts again is followed without a reload", async (stage) => {
    const session = await stage.begin("[[ask before the start]]", { title: "Cut by a start" });
    const [home, page] = [await tab(stage), await tab(stage, `s/${session}`)];
    for (const one of [home, page]) await remember(one);
    await card(page, "before the start").waitFor();
    await stage.server.restart();
    await page.locator(".side .link-state.reconnecting").waitFor();
    stage.proxy.leadTo(Number(new URL(stage.server.parley.url).port));
    stage.proxy.cut();
    await isLive(page);
    await page.locator(".turn.over").waitFor();
    await card(page, "before the start").waitFor({ state: "detached" });
    await stage.begin("[[ask after the start]]", { title: "Begun after it" });
    await card(home, "after the start").waitFor();
    await home.locator(".session-row", { hasText: "Begun after it" }).waitFor();
    for (const one of [home, page]) await assertNotReloaded(one);
  });

  inStage("a page that is no longer let in shows the login", async (stage) => {
    const page = await tab(stage);
    await stage.server.restart({ token: "walnut-token-0123456789" });
    stage.proxy.leadTo(Number(new URL(stage.server.parley.url).port));
    stage.proxy.cut();
    await page.getByRole("button", { name: "Log in" }).waitFor();
  });
});
