import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { longSession } from "./long-session.ts";
import { describeSessions, textOf } from "./session-stage.ts";

const WORDS = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");

const script = {
  pace: 0,
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    markdown: [
      {
        reasoning: "A thought of its own.",
        text: "## Heading\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n\n[good](https://example.com/) [bad](javascript:alert(1)) ![pic](https://example.com/p.png)\n\n<img src=x onerror=alert(1)>\n",
      },
    ],
    work: [
      {
        text: "I look first.",
        tools: [{ name: "bash", input: { command: "printf '\\033[31mred\\033[0m\\n'; seq 1 300" } }],
      },
      { tools: [{ name: "edit", input: { path: "a.ts", old: "const two = 2;", new: "const two = 22;" } }] },
      {
        tools: [
          {
            name: "todo",
            input: {
              todos: [
                { text: "Read it", status: "completed" },
                { text: "Run it", status: "pending" },
              ],
            },
          },
        ],
      },
      { text: "All is done." },
    ],
    held: [{ text: ["The beginning, ", { text: "the end.", hold: "held" }] }],
    cut: [{ text: ["Before the cut, ", { text: WORDS, hold: "cut" }, " after it."] }],
    busy: [{ fail: { status: 529, message: "Overloaded", retryAfter: 30, times: 1 }, text: "It worked at last." }],
    forbidden: [{ fail: { status: 401, message: "No such key." } }],
  },
} as const;

describeSessions("a session's transcript", script, (inStage) => {
  inStage("is drawn as it is written, and the same after a reload", async (stage) => {
    const { page } = await stage.session();
    await stage.say(page, "[[held]] go");
    await page.getByText("The beginning,").waitFor();
    await page.locator(".turn-foot", { hasText: "Working" }).waitFor();
    stage.model.release("held");
    await page.getByText("The beginning, the end.").waitFor();
    await stage.turnsOver(page, 1);
    const before = await textOf(page.locator(".transcript"));
    assert.match(before, /done · /);
    await page.reload();
    await stage.turnsOver(page, 1);
    assert.equal(await textOf(page.locator(".transcript")), before);
    await page.close();
  });

  inStage("shows markdown as nodes, follows only good links, and shows HTML as text", async (stage) => {
    const { page } = await stage.session();
    await stage.say(page, "[[markdown]]");
    await stage.turnsOver(page, 1);
    const message = page.locator(".message");
    assert.equal(await textOf(message.locator("h4")), "Heading");
    assert.deepEqual(
      await message.locator("li.task input").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked)),
      [true, false],
    );
    assert.equal(await message.locator("td").count(), 2);
    await message.locator(".code-kwd").first().waitFor();
    const links = await message
      .locator("a")
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute("href"), one.getAttribute("rel"), one.getAttribute("target")]),
      );
    assert.deepEqual(links, [
      ["https://example.com/", "noreferrer noopener", "_blank"],
      ["https://example.com/p.png", "noreferrer noopener", "_blank"],
    ]);
    assert.equal(await page.locator(".message img").count(), 0);
    await message.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.equal(await page.getByText("A thought of its own.").isVisible(), false);
    await page.locator(".reasoning summary").click();
    await page.getByText("A thought of its own.").waitFor();
    await page.close();
  });

  inStage("shows tool calls with their output, changes and plan, and what the turn changed", async (stage) => {
    await stage.file("a.ts", "const one = 1;\nconst two = 2;\n");
    const { page } = await stage.session();
    await stage.say(page, "[[work]]");
    await stage.turnsOver(page, 1);
    const run = page.locator(".tool", { hasText: "printf" });
    assert.equal(await run.locator(".output").count(), 0, "it is folded");
    await run.locator(".tool-line").click();
    assert.equal(await textOf(run.locator(".ansi-red")), "red");
    assert.equal(await run.getByText("150", { exact: false }).count(), 0);
    await run.getByRole("button", { name: /lines are left out: show all/ }).click();
    await run.getByText("150", { exact: false }).first().waitFor();
    assert.match(await textOf(run.locator(".output")), /\n150\n/);
    assert.equal(await textOf(page.locator(".diff-line.removed .diff-words")), "const two = 2;");
    assert.equal(await textOf(page.locator(".diff-line.added .diff-words")), "const two = 22;");
    await page.getByRole("button", { name: "Words" }).click();
    const marked = page.locator(".diff-line mark");
    await marked.nth(1).waitFor();
    assert.deepEqual(await marked.allTextContents(), ["2", "22"]);
    await page.getByText("Plan · 1 of 2 done").waitFor();
    assert.match(await textOf(page.locator(".turn-files")), /a\.ts\s*\+1 −1/);
    await page.close();
  });

  inStage("has sub-agents inside, folded at first", async (stage) => {
    const { page } = await stage.session({ agent: "scripted" });
    await stage.say(page, "[[subagent]]");
    await stage.turnsOver(page, 1);
    const inside = page.locator(".sub-agent");
    assert.equal(await inside.getByText("I am the helper.").count(), 0);
    await inside.locator(".tool-line").click();
    await inside.getByText("I am the helper.").waitFor();
    await page.close();
  });

  inStage("counts down to the next try, and says what to do about an error", async (stage) => {
    const { id, page } = await stage.session();
    await stage.say(page, "[[busy]]");
    const said = page.locator(".retrying");
    await said.getByText(/Next try in \d+ s/).waitFor();
    const seconds = async (): Promise<number> => Number(/in (\d+) s/.exec(await textOf(said))?.[1]);
    const first = await seconds();
    await eventually("the seconds go down", async () => (await seconds()) < first);
    await page.getByRole("button", { name: "Stop" }).click();
    await stage.isIdle(id);
    await page.getByText("stopped", { exact: true }).waitFor();
    await stage.say(page, "[[forbidden]]");
    await page.getByRole("alert").getByText("Log the agent in").waitFor();
    await page.close();
  });

  inStage("is right again after the connection was cut, without a reload", async (stage) => {
    const { page } = await stage.session();
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    await stage.say(page, "[[cut]]");
    await page.getByText("Before the cut,").waitFor();
    stage.proxy.refuse();
    await page.locator(".side .link-state.reconnecting").waitFor();
    stage.model.release("cut");
    stage.proxy.heal();
    await page.getByText(`${WORDS} after it.`).waitFor();
    await stage.turnsOver(page, 1);
    await page.locator(".side .link-state.live").waitFor();
    assert.equal(await page.evaluate(() => Reflect.get(window, "sameDocument")), true);
    await page.close();
  });

  inStage("reads older pages at the top, keeps the place, and finds an event by its number", async (stage) => {
    const { id, turns, seqOf } = await longSession(stage.server, { turns: 120, calls: 2 });
    const page = await stage.open(`s/${id}`);
    await page.getByText(`Prompt ${turns} of the long session`).waitFor();
    assert.equal(await page.getByText("Prompt 1 of the long session").count(), 0);
    const scroller = page.locator(".reader-scroll");
    const atEnd = (): Promise<boolean> =>
      scroller.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop < 2);
    await eventually("the end is shown", atEnd);
    await scroller.hover();
    const shown = page.locator(".transcript > .turn");
    const known = await shown.count();
    // A row, not a turn: a page may begin within a turn, which then grows above what is shown of it.
    const oldest = await page.locator(".row-of").first().getAttribute("data-at");
    const topOfOldest = (): Promise<number> =>
      page.locator(`.row-of[data-at="${oldest}"]`).evaluate((one) => one.getBoundingClientRect().top);
    await page.mouse.wheel(0, -200);
    await page.getByRole("button", { name: "To the end" }).waitFor();
    // At once: the browser moves a wheel's way in steps, and stops it when rows come in above.
    await scroller.evaluate((one) => one.scrollTo({ top: 0, behavior: "instant" }));
    await eventually("an older page was read", async () => (await shown.count()) > known);
    const edge = await scroller.evaluate((one) => one.getBoundingClientRect().top);
    // It was at the top when the page above it came, and stays there, also when the rows above have their real sizes.
    for (const when of ["as the page came", "two frames later"]) {
      const away = (await topOfOldest()) - edge;
      assert.ok(away >= 0 && away < 100, `the place of the reader ${when}: ${away} below the edge`);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
    const reach = async (turn: number): Promise<void> => {
      await page.goto(`${new URL(page.url()).origin}/console/s/${id}#${seqOf(turn)}`);
      const marked = page.locator(".marked", { hasText: `Prompt ${turn} of the long session` });
      await marked.waitFor();
      await eventually("the event is in sight", () =>
        marked.evaluate((one) => {
          const { top } = one.getBoundingClientRect();
          return top > 0 && top < innerHeight;
        }),
      );
    };
    // Older pages are read for it, and the reader is not at the end.
    await reach(5);
    await page.getByRole("button", { name: "To the end" }).click();
    await eventually("the end is shown again", atEnd);
    await reach(3);
    await page.close();
  });

  inStage("moves by keys between turns and folds them", async (stage) => {
    const { page } = await stage.session();
    for (const word of ["one", "two"]) {
      await stage.say(page, word);
      await page.getByText(`You said: ${word}`).waitFor();
    }
    await stage.turnsOver(page, 2);
    await page.keyboard.press("Escape");
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.keyboard.press("e");
    await page.locator(".turn.folded", { hasText: "one" }).waitFor();
    assert.equal(await page.getByText("You said: one").count(), 0);
    await page.keyboard.press("e");
    await page.getByText("You said: one").waitFor();
    await page.keyboard.press(".");
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "TEXTAREA");
    await page.close();
  });
});
