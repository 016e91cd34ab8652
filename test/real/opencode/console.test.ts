import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findBrowser, NO_BROWSER, startBrowser } from "../../support/browser.ts";
import { startTui } from "../../support/opencode/clients.ts";
import { MODEL } from "../../support/opencode/native.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { NATIVE, startTarget } from "../../support/opencode/target.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");
const browserProgram = await findBrowser();

describe("the console beside OpenCode's terminal interface", { skip: skip || NATIVE, timeout: GROUP_MS }, () => {
  test("a session is the same in two tabs and in the interface, and whoever answers first answers for all", async (t) => {
    if (!browserProgram) return t.skip(NO_BROWSER);
    await using stage = await Stage.open(SCRIPT);
    const { surroundings } = stage;
    const directory = surroundings.project("project", FILES);
    const { url, token } = await startTarget(stage, program, directory);
    const tui = startTui({ program, surroundings, url, password: token, directory, cols: 100, rows: 40 });
    stage.after(() => tui.close());
    await tui.waitFor("Ask anything", PATIENCE_MS);
    await tui.waitFor(MODEL.name);
    const browser = stage.use(
      await startBrowser(browserProgram, { env: { ...(process.env as Record<string, string>) } }),
    );
    const open = async (path: string) => {
      const page = await browser.context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`${url}/console/${path}`);
      return page;
    };
    const first = await open("");
    await first.getByLabel(/^Token/).fill(token);
    await first.getByRole("button", { name: "Log in" }).click();
    await first.getByText("There is no session yet.").waitFor();
    const second = await open("inbox");

    tui.type("[[command]] here");
    await tui.waitFor("[[command]] here");
    tui.press("enter");
    await tui.waitFor("Permission required");
    const waiting = [first, second].map((page) => page.locator("article.ask", { hasText: "echo it-ran" }));
    for (const ask of waiting) await ask.waitFor();
    await waiting[0]?.getByRole("button", { name: "Allow once" }).click();
    await tui.waitFor("It wrote: it-ran");
    assert.doesNotMatch(await tui.waitUntilGone("Permission required"), /Permission required/);
    await second.getByText("allowed once by console").waitFor();

    // The other way round: the console's prompt is seen in the interface, whose answer the console tells.
    await first.locator(".session-row a.title").first().click();
    await first.getByRole("textbox").last().fill("[[command]] there");
    await first.keyboard.press("Enter");
    await tui.waitFor("[[command]] there");
    await tui.waitFor("Permission required");
    await second.locator("article.ask:not(.over)", { hasText: "echo it-ran" }).waitFor();
    tui.press("enter");
    await second.getByText(/allowed once by (?!console)/).waitFor();
    await first.getByText("It wrote: it-ran").nth(1).waitFor();
  });
});
