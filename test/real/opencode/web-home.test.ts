import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { findBrowser, NO_BROWSER, startBrowser } from "../../support/browser.ts";
import { startNative } from "../../support/opencode/native.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { startTarget, type Target } from "../../support/opencode/target.ts";
import { startWebUi } from "../../support/opencode/web-ui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, HARD, PATIENCE_MS } from "../../support/time.ts";

const { program = "", ...agent } = await realAgent("opencode");
const browserProgram = await findBrowser();
const skip = browserProgram === undefined ? NO_BROWSER : agent.skip;

/** Making them takes a while. */
const MANY = HARD ? 1_500 : 200;
const AT_ONCE = 25;

describe("the home of OpenCode's web page, on Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let target: Target;
  let directory: string;
  let page: Page;
  let home: string;

  async function make(title: string): Promise<void> {
    const { status } = await fetch(`${target.url}/session?directory=${encodeURIComponent(directory)}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${target.token}` },
      body: JSON.stringify({ title }),
    });
    assert.equal(status, 200);
  }

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings, model } = stage;
    directory = surroundings.repository("project", FILES);
    const [pages, parley] = await Promise.all([
      startNative({ program, surroundings, directory, modelUrl: model.url }),
      startTarget(stage, program, directory),
    ]);
    target = parley;
    stage.use(pages);
    home = stage.use(await startWebUi({ pages: pages.url, api: target.url })).url;
    await make("The first walnut");
    await make("The second walnut");
    const env = surroundings.env({}, "browser");
    const browser = stage.use(await startBrowser(browserProgram ?? "", { env, password: target.token }));
    page = await browser.context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(home);
  });
  after(() => stage[Symbol.asyncDispose]());

  const shown = (text: string): Promise<void> => page.getByText(text, { exact: true }).first().waitFor();

  /** Types a part of a title into the search, and sees what the search offers. */
  async function search(part: string, title: string, others: string): Promise<void> {
    await page.getByPlaceholder("Search sessions").click();
    await page.keyboard.type(part);
    const found = page.locator("[data-key]");
    await found.getByText(title, { exact: true }).waitFor();
    assert.equal(await found.getByText(others, { exact: true }).count(), 0);
  }

  test("it lists the sessions of a project that a person adds", async () => {
    await page.getByText("Add project").click();
    await page.getByRole("dialog").locator("input").first().fill(directory);
    await page.getByRole("dialog").getByText("project", { exact: true }).first().waitFor();
    await page.keyboard.press("Enter");
    await shown("The first walnut");
    await shown("The second walnut");
  });

  test("its search finds a session by a part of the title", async () => {
    await search("first wal", "The first walnut", "The second walnut");
  });

  test(`with ${MANY} sessions it lists the newest, and its search finds one of them`, async () => {
    for (let made = 2; made < MANY; made += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, MANY - made) }, (_, n) => make(`Acorn ${made + n}`)));
    await make("The newest acorn");
    await page.goto(home);
    await shown("The newest acorn");
    await search(`acorn ${MANY - 1}`, `Acorn ${MANY - 1}`, "The newest acorn");
  });
});
