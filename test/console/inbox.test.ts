import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { GROUP_MS } from "../support/time.ts";
import { type ConsoleStage, openConsole } from "./stage.ts";

describe("the console's inbox", { timeout: GROUP_MS }, () => {
  const closing: (() => Promise<void>)[] = [];
  let found: ConsoleStage | undefined;
  before(async () => {
    found = await openConsole({ after: (close) => closing.unshift(close) });
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** A test with a page of its own; skipped where there is no browser. */
  const inPage = (name: string, run: (page: Page, stage: ConsoleStage) => Promise<void>): void => {
    test(name, async (t) => {
      if (!found) return t.skip(NO_BROWSER);
      const page = await found.open("inbox");
      try {
        await run(page, found);
      } finally {
        await page.close();
      }
    });
  };
  const card = (page: Page, text: string) => page.locator("article.ask", { hasText: text });
  const ended = (stage: ConsoleStage, session: string): Promise<void> =>
    eventually("the turn is over", async () => (await stage.server.api.session(session)).turn === null);

  inPage("says that nobody waits, then shows an ask as it comes, with its whole diff", async (page, stage) => {
    await page.getByText("No agent needs you now.").waitFor();
    const session = await stage.begin("Read README.md and add a line at the end", { title: "The readme" });
    await card(page, "README.md").waitFor();
    assert.match((await card(page, "README.md").textContent()) ?? "", /\+Added by Parley's scripted agent\./);
    assert.match(await page.title(), /^\(1\) /);
    await card(page, "README.md").getByRole("button", { name: "Allow once" }).click();
    await ended(stage, session);
    await card(page, "allowed once by console").waitFor();
    await eventually("the title counts nobody", async () => !/^\(/.test(await page.title()));
  });

  inPage("shows a long command whole, and sends the words of a rejection", async (page, stage) => {
    const command = `echo ${"long ".repeat(400)}&& rm -r build`;
    const session = await stage.begin(`[[ask ${command}]]`);
    const shown = card(page, "rm -r build");
    await shown.waitFor();
    await shown.getByRole("button", { name: "Reject…" }).click();
    await shown.getByLabel("What should it do instead?").fill("leave build alone");
    await shown.getByRole("button", { name: "Reject", exact: true }).click();
    await ended(stage, session);
    await card(page, "rejected by console: leave build alone").waitFor();
  });

  inPage("keeps always away from reject", async (page, stage) => {
    const session = await stage.begin("[[ask npm test]]");
    const shown = card(page, "npm test");
    const boxes = await Promise.all(
      ["Reject…", "Always allow"].map((name) => shown.getByRole("button", { name }).boundingBox()),
    );
    const [reject, always] = boxes;
    assert.ok(reject && always && always.y >= reject.y + reject.height, "they are not in one row");
    await shown.getByRole("button", { name: "Always allow" }).click();
    await ended(stage, session);
    assert.equal((await stage.server.api.session(session)).rules.length, 1);
  });

  inPage("takes an option or other words for a question", async (page, stage) => {
    for (const answer of ["green", "a quiet blue"]) {
      const session = await stage.begin("[[question]]");
      const shown = card(page, "Which colour shall it be?").filter({ hasNot: page.locator(".notice") });
      const send = shown.getByRole("button", { name: "Answer", exact: true });
      assert.ok(await send.isDisabled());
      if (answer === "green") await shown.getByText("green").click();
      else await shown.getByLabel("Another answer").fill(answer);
      await send.click();
      await ended(stage, session);
      const events = await stage.server.api.events(session);
      const resolved = events.find(({ type }) => type === "question.resolved");
      assert.ok(resolved?.type === "question.resolved");
      assert.deepEqual(resolved.data.answers, [[answer]]);
      assert.equal(resolved.data.by, "console");
    }
  });

  inPage("says by whom an ask was answered elsewhere, and lets it go", async (page, stage) => {
    const session = await stage.begin("[[ask make]]");
    await card(page, "make").waitFor();
    const [ask] = (await stage.server.api.session(session)).asks;
    assert.ok(ask);
    await stage.server.api.call(
      "POST",
      `/v1/sessions/${session}/asks/${ask.id}`,
      { outcome: "once" },
      { headers: { "x-parley-client": "phone" } },
    );
    await page.getByText("allowed once by phone").waitFor();
    await card(page, "make").waitFor({ state: "detached" });
  });

  const waiting = async (stage: ConsoleStage, session: string): Promise<boolean> =>
    (await stage.server.api.session(session)).turn !== null;
  /** The time in which a person sees what is there: no key answers an ask before. */
  const look = async (page: Page): Promise<void> => {
    const since = await page.evaluate(() => performance.now());
    await page.waitForFunction((began) => performance.now() - began > 450, since);
  };
  /** Sessions with an ask each, all of which the page shows. */
  async function asking(page: Page, stage: ConsoleStage, ...names: string[]): Promise<string[]> {
    const sessions: string[] = [];
    for (const name of names) {
      sessions.push(await stage.begin(`[[ask ${name}]]`));
      await card(page, name).waitFor();
    }
    await look(page);
    return sessions;
  }
  /** Ends the asks that a test left open. */
  async function endAll(stage: ConsoleStage, sessions: readonly string[]): Promise<void> {
    for (const session of sessions) {
      await stage.server.api.cancel(session);
      await ended(stage, session);
    }
  }

  inPage("is answered by keys alone, the oldest first, as fast as somebody types", async (page, stage) => {
    const sessions = await asking(page, stage, "first", "second", "third");
    await page.keyboard.press("a");
    await page.keyboard.type("dnot now");
    await page.keyboard.press("Enter");
    await page.getByText("rejected by console: not now").waitFor();
    await page.keyboard.type("dnor ever");
    await page.keyboard.press("Enter");
    await page.getByText("rejected by console: nor ever").waitFor();
    for (const session of sessions) await ended(stage, session);
    await page.getByText("allowed once by console").waitFor();
    assert.match(page.url(), /\/console\/inbox$/, "no letter was taken for a key of the console");
  });

  inPage("allows one ask with a key that is pressed twice or held down", async (page, stage) => {
    const [first = "", second = ""] = await asking(page, stage, "one", "two");
    await page.evaluate(() => {
      for (const repeat of [true, true, true])
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat, bubbles: true }));
    });
    assert.equal(await card(page, "one").getByRole("button", { name: "Allow once" }).isEnabled(), true);
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await page.getByText("allowed once by console").waitFor();
    await ended(stage, first);
    assert.ok(await waiting(stage, second));
    assert.equal(await card(page, "two").getByRole("button", { name: "Allow once" }).isEnabled(), true);
    await endAll(stage, [second]);
  });

  inPage("refuses one question with a key that is pressed twice", async (page, stage) => {
    const sessions = [await stage.begin("[[question]]"), await stage.begin("[[question]]")];
    await page.locator("article.ask").nth(1).waitFor();
    await look(page);
    await page.keyboard.press("d");
    await page.keyboard.press("d");
    await page.getByText("rejected by console").waitFor();
    const left = [];
    for (const session of sessions) if ((await stage.server.api.asks(session)).length > 0) left.push(session);
    assert.equal(left.length, 1);
    await endAll(stage, left);
  });

  inPage("takes no letter for a key that was typed for words whose ask is over", async (page, stage) => {
    const [first = "", second = ""] = await asking(page, stage, "over", "next");
    await page.keyboard.type("dkeep ");
    const [ask] = await stage.server.api.asks(first);
    await stage.server.api.expect(200, "POST", `/v1/sessions/${first}/asks/${ask?.id}`, { outcome: "once" });
    await card(page, "over").locator(".notice").waitFor();
    await page.keyboard.type("all my tests", { delay: 60 });
    assert.ok(await waiting(stage, second));
    assert.match(page.url(), /\/console\/inbox$/);
    await endAll(stage, [second]);
  });

  inPage("answers no ask by a key while it is out of sight, nor in the moment that shows it", async (page, stage) => {
    await page.setViewportSize({ width: 800, height: 300 });
    const [session = ""] = await asking(page, stage, `sight ${"long ".repeat(900)}`);
    const allow = card(page, "sight").getByRole("button", { name: "Allow once" });
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    assert.equal(await allow.isEnabled(), true);
    await page.waitForFunction(() => {
      const { top = -1, bottom = 1e9 } = document.querySelector('[data-answer="once"]')?.getBoundingClientRect() ?? {};
      return top >= 0 && bottom <= innerHeight;
    });
    assert.ok(await waiting(stage, session));
    await look(page);
    await page.keyboard.press("a");
    await ended(stage, session);
  });

  inPage("gives the keys on a session's page to the ask of that session, not to an older one", async (page, stage) => {
    const [older = "", own = ""] = await asking(page, stage, "older", "own");
    const there = await stage.open(`s/${own}`);
    await card(there, "own").waitFor();
    await look(there);
    await there.keyboard.press("a");
    await ended(stage, own);
    assert.ok(await waiting(stage, older));
    await there.close();
    await endAll(stage, [older]);
  });

  inPage("leads to the search by a key, and loses no letter on the way", async (page) => {
    await page.getByText("No agent needs you now.").waitFor();
    await page.keyboard.type("/one no ");
    const box = page.getByRole("searchbox");
    await box.waitFor();
    await page.waitForURL(/q=one/);
    await page.keyboard.type("gold");
    assert.equal(await box.inputValue(), "one no gold");
  });

  inPage("sends an answer once although the connection breaks before the reply", async (page, stage) => {
    const session = await stage.begin("[[ask cut]]");
    await card(page, "cut").waitFor();
    stage.proxy.loseAnswer((bytes) => bytes.includes("/asks/"));
    await card(page, "cut").getByRole("button", { name: "Allow once" }).click();
    await ended(stage, session);
    await page.getByText("allowed once by console").waitFor();
    await page.locator(".side .link-state.live").waitFor();
  });
});
