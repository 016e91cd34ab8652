import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { findBrowser, NO_BROWSER, startBrowser } from "../../support/browser.ts";
import { type CuttingProxy, startCuttingProxy } from "../../support/opencode/cutting-proxy.ts";
import { startNative } from "../../support/opencode/native.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { startTarget } from "../../support/opencode/target.ts";
import { openPage, sendPrompt } from "../../support/opencode/web-page.ts";
import { startWebUi } from "../../support/opencode/web-ui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", ...agent } = await realAgent("opencode");
const browserProgram = await findBrowser();
const skip = browserProgram === undefined ? NO_BROWSER : agent.skip;

describe("OpenCode's web page, on Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let proxy: CuttingProxy;
  let page: Page;
  const failures: string[] = [];

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings, model } = stage;
    const directory = surroundings.project("project", FILES);
    const [pages, target] = await Promise.all([
      startNative({ program, surroundings, directory, modelUrl: model.url }),
      startTarget(stage, program, directory),
    ]);
    stage.use(pages);
    proxy = stage.use(await startCuttingProxy(target.url));
    const ui = stage.use(await startWebUi({ pages: pages.url, api: proxy.url }));
    const env = surroundings.env({}, "browser");
    const browser = stage.use(await startBrowser(browserProgram ?? "", { env, password: target.token }));
    page = await browser.context.newPage();
    page.on("pageerror", (error) => failures.push(String(error)));
    await openPage(page, ui.page(directory));
  });
  after(() => stage[Symbol.asyncDispose]());

  const shown = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

  test("a new session: its answer appears while it is being said", async () => {
    await sendPrompt(page, "[[web]] go");
    await stage.held("web-1");
    await shown("The beginning,");
    stage.model.release("web-1");
    await shown("The beginning, the middle,");
    stage.model.release("web-2");
    await shown("The beginning, the middle, the end.");
  });

  test("a permission is granted", async () => {
    await sendPrompt(page, "[[command]] go");
    await page.getByRole("button", { name: "Allow once" }).click();
    await shown(/It wrote: it-ran/);
  });

  test("an answer that ends while the connection is cut is there afterwards", async () => {
    await sendPrompt(page, "[[gap]] go");
    await stage.held("gap-1");
    await page.getByText("The beginning,", { exact: true }).waitFor();
    const seen = proxy.seen("GET /global/event");
    proxy.refuse(true);
    proxy.cut();
    stage.model.release("gap-1");
    stage.model.release("gap-2");
    await stage.model.until(() => stage.model.requests.every(({ outcome }) => outcome !== "pending"));
    proxy.refuse(false);
    await proxy.until("GET /global/event", seen + 1);
    await page.getByText("The beginning, the middle, the end.").nth(1).waitFor();
  });

  test("the page had no error", () => {
    assert.deepEqual(failures, []);
  });
});
