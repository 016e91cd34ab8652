import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Stage } from "../../agents/claude/stage.ts";
import { findBrowser, NO_BROWSER, startBrowser } from "../../support/browser.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");
const browserProgram = await findBrowser();

describe("the console on the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("a person begins a session, allows an edit, answers a question and sees what was changed", async (t) => {
    if (!browserProgram) return t.skip(NO_BROWSER);
    const edit = {
      name: "Edit",
      input: { file_path: "{{directory}}/a.txt", old_string: "two", new_string: "**deux**" },
    };
    const question = {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "Red", description: "a warm one" },
        { label: "Blue", description: "a cold one" },
      ],
    };
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          work: [
            { tools: [{ name: "Read", input: { file_path: "{{directory}}/a.txt" } }] },
            { tools: [edit] },
            { tools: [{ name: "AskUserQuestion", input: { questions: [question] } }] },
            { text: "All is **done**." },
          ],
        },
      },
    });
    writeFileSync(join(stage.directory, "a.txt"), "one\ntwo\nthree\n");
    const browser = await startBrowser(browserProgram, { env: { ...(process.env as Record<string, string>) } });
    t.after(() => browser[Symbol.asyncDispose]());
    const page = await browser.context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${stage.api.url}/console/new?directory=${encodeURIComponent(stage.directory)}`);
    await page.getByLabel("Agent").selectOption("claude");
    await page.getByLabel("First prompt").fill("[[work]]");
    await page.getByRole("button", { name: "Begin" }).click();

    const ask = page.locator("article.ask");
    await ask.getByText("+**deux**").waitFor();
    await ask.getByRole("button", { name: "Allow once" }).click();
    await ask.getByText("Which colour?").waitFor();
    await ask.getByText("Blue").click();
    await ask.getByRole("button", { name: "Answer", exact: true }).click();
    await page.locator("strong", { hasText: "done" }).waitFor();
    assert.equal(readFileSync(join(stage.directory, "a.txt"), "utf8"), "one\n**deux**\nthree\n");

    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByText("a.txt").first().waitFor();
    await page.getByText("**deux**").first().waitFor();
    await stage.close(1);
  });
});
