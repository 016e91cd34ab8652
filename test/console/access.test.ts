import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import type { Frame, Page } from "playwright-core";
import { beginSamples, SAMPLES, sampleAgents } from "../../scripts/console/sample-sessions.ts";
import { createClient } from "../../src/client/index.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { temporary } from "../support/server.ts";
import { GROUP_MS, HARD } from "../support/time.ts";
import { type ConsoleStage, openConsole } from "./stage.ts";

const TOKEN = "walnut-token-0123456789";
const SCHEMES = ["light", "dark"] as const;
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** All that axe calls serious or critical. */
async function violationsOf(page: Page | Frame, axe: string): Promise<string[]> {
  await page.evaluate(axe);
  const found: Violation[] = await page.evaluate(async () => {
    const { violations } = await Reflect.get(globalThis, "axe").run(document, { resultTypes: ["violations"] });
    return violations;
  });
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
}

/** By how much the page is wider than its window, or what is in it than its own place. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const main = document.querySelector("main");
    const inside = main ? main.scrollWidth - main.clientWidth : 0;
    return Math.max(inside, (document.scrollingElement?.scrollWidth ?? 0) - innerWidth);
  });
}

interface Focus {
  name: string;
  /** Whether a person sees where the focus is. */
  seen: boolean;
}

function focusOf(page: Page): Promise<Focus> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: "", seen: true };
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    const labels = (element as HTMLInputElement).labels ?? [];
    const name = element.getAttribute("aria-label") ?? labels[0]?.textContent ?? element.textContent ?? "";
    return { name: name.trim(), seen: outlineStyle !== "none" || boxShadow !== "none" };
  });
}

/** Presses Tab until something with this name has the focus. */
async function tabTo(page: Page, name: RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    assert.ok(focus.seen, `expected to see the focus on ${focus.name}`);
    if (name.test(focus.name)) return;
    passed.push(focus.name.slice(0, 30));
  }
  assert.fail(`expected Tab to reach ${name}, it passed ${passed.join(" | ")}`);
}

describe("the console for everybody", { timeout: GROUP_MS }, () => {
  const closing: (() => Promise<void>)[] = [];
  const owner = { after: (close: () => Promise<void>) => void closing.unshift(close) };
  let stage: ConsoleStage | undefined;
  let ids: string[] = [];
  let axe = "";
  before(async () => {
    const directory = await temporary(owner);
    stage = await openConsole(owner, { agents: await sampleAgents(directory), token: TOKEN });
    if (!stage) return;
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const { server } = stage;
    ids = await beginSamples(createClient({ url: server.parley.url, token: TOKEN }), directory);
    await eventually("all samples are played", async () => {
      const states = await Promise.all(ids.map((id) => server.api.session(id)));
      return (
        states.filter(({ asks }) => asks.length > 0).length === 3 && states.filter(({ turn }) => !turn).length === 2
      );
    });
    const page = await stage.open();
    await page.getByLabel(/^Token/).fill(TOKEN);
    await page.keyboard.press("Enter");
    await page.locator("article.ask").first().waitFor();
    await page.close();
  });
  after(async () => {
    for (const close of closing) await close();
  });
  const inStage = (name: string, run: (stage: ConsoleStage) => Promise<void>): void => {
    test(name, (t) => (stage ? run(stage) : t.skip(NO_BROWSER)));
  };

  inStage("is led to by keys alone: login, an answer, a new session with a prompt", async ({ open, server }) => {
    const page = await open();
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("button", { name: "Log in" }).waitFor();
    assert.deepEqual(await violationsOf(page, axe), []);
    await tabTo(page, /^Token/);
    await page.keyboard.type(TOKEN);
    await page.keyboard.press("Enter");
    await page.locator("article.ask").first().waitFor();

    await tabTo(page, /^Skip to the page/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^Allow once/);
    await page.keyboard.press("Enter");
    await page.getByText("allowed once by console").waitFor();

    await tabTo(page, /^Keys$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await focusOf(page)).name, "Keys");

    await tabTo(page, /^New session$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New session" }).waitFor();
    await tabTo(page, /^First prompt/);
    await page.keyboard.type("Say hello");
    await tabTo(page, /^Begin$/);
    await page.keyboard.press("Enter");
    await page.locator(".turn.over").waitFor();
    const [, id = ""] = /\/s\/([^/]+)/.exec(page.url()) ?? [];
    assert.equal((await server.api.session(id)).turn, null);
    await page.close();
  });

  const pages = (): Record<string, string> => {
    const session = (title: RegExp): string => `s/${ids[SAMPLES.findIndex((sample) => title.test(sample.title))]}`;
    return {
      home: "",
      inbox: "inbox",
      new: "new",
      search: "search?q=the",
      usage: "usage",
      agents: "agents",
      transcript: session(/month 13/),
      asking: session(/two more banks/),
      working: session(/its own service/),
      failed: session(/Polish/),
      changes: `${session(/month 13/)}/changes`,
      events: `${session(/month 13/)}/events`,
      terminal: `${session(/month 13/)}/terminal`,
      missing: "nowhere",
    };
  };

  for (const size of [WIDE, PHONE]) {
    // Each size has one colour scheme in `npm test`, and both of them in `npm run test:hard`.
    const schemes = HARD ? SCHEMES : [size === WIDE ? SCHEMES[0] : SCHEMES[1]];
    inStage(`has no serious barrier on any page, ${size.width} px wide`, async ({ open }) => {
      const problems: string[] = [];
      const page = await open("", size);
      for (const [name, path] of Object.entries(pages())) {
        await page.goto(new URL(`/console/${path}`, page.url()).href);
        await page.locator(".link-state.live").first().waitFor({ state: "attached" });
        await eventually(`${name} is shown`, async () => !/^$|Loading…/.test(await page.locator("main").innerText()));
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          for (const problem of await violationsOf(page, axe)) problems.push(`${name}, ${colorScheme}: ${problem}`);
        }
        const wider = await overflow(page);
        if (wider > 0) problems.push(`${name} is ${wider} px wider than the window`);
      }
      await page.close();
      assert.deepEqual(problems, []);
    });
  }

  inStage("has no serious barrier in its dialogs", async ({ open }) => {
    const page = await open("", PHONE);
    for (const name of [/^Actions for/, /^Keys$/, /^Notices$/]) {
      const button = page.getByRole("button", { name }).first();
      if (!(await button.isVisible())) await page.setViewportSize(WIDE);
      await button.click();
      await page.getByRole("dialog").waitFor();
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await violationsOf(page, axe), [], `${name}, ${colorScheme}`);
      }
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.close();
  });

  inStage("has no serious barrier in the document of a terminal", async ({ open }) => {
    const page = await open(pages().terminal);
    await page.getByRole("button", { name: "New terminal" }).click();
    const isTerminal = (one: Frame): boolean => /\/console\/terminal\//.test(one.url());
    await eventually("the terminal is framed", () => page.frames().some(isTerminal));
    const frame = page.frames().find(isTerminal);
    assert.ok(frame);
    await frame.locator(".xterm-rows").waitFor();
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violationsOf(frame, axe), [], colorScheme);
    }
    await page.close();
  });
});
