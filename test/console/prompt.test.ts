import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { says } from "../support/tcp-proxy.ts";
import { describeSessions } from "./session-stage.ts";

const script = {
  pace: 0,
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    held: [{ text: ["I begin ", { text: "and end.", hold: "held" }] }],
    kept: [{ text: ["I begin ", { text: "and end.", hold: "kept" }] }],
    more: [{ text: ["I begin again ", { text: "and end.", hold: "more" }] }],
  },
} as const;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

describeSessions("the prompt box", script, (inStage) => {
  inStage("queues and withdraws prompts while the agent works, and stops it", async (stage) => {
    const { id, page } = await stage.session();
    await stage.say(page, "[[held]] go");
    await page.getByText("I begin").waitFor();
    await stage.say(page, "this one waits");
    await stage.say(page, "and this one goes");
    const waiting = page.getByRole("list", { name: "Prompts that wait" });
    await waiting.getByText("and this one goes").waitFor();
    await waiting.locator("li", { hasText: "and this one goes" }).getByRole("button", { name: "Withdraw" }).click();
    await eventually("one waits", async () => (await stage.server.api.session(id)).queue.length === 1);
    stage.model.release("held");
    await page.getByText("You said: this one waits").waitFor();
    await stage.turnsOver(page, 2);
    assert.equal(await page.getByText("and this one goes").count(), 0);
    await stage.say(page, "[[more]] go on");
    await page.getByText("I begin again").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".turn-foot", { hasText: "stopped" }).waitFor();
    await page.close();
  });

  inStage("steers a turn where the agent can, and says why where it cannot", async (stage) => {
    const { page } = await stage.session({ agent: "scripted" });
    await stage.say(page, "[[slow 60000]]");
    await page.getByText("still working").first().waitFor();
    await page.getByRole("button", { name: "Steer" }).click();
    await stage.say(page, "turn left");
    await page.locator(".prompt-said", { hasText: "turn left" }).or(page.getByText("not sent")).first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await stage.turnsOver(page, 1);
    await page.close();
  });

  inStage("keeps a draft with its session, also over a reload", async (stage) => {
    const { id: first, page } = await stage.session({ title: "The first" });
    const { id: second, page: other } = await stage.session({ title: "The second" });
    await other.close();
    const field = page.getByRole("textbox", { name: "Prompt" });
    await field.fill("a draft of the first");
    await page
      .getByRole("link", { name: /The second/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "The second" }).waitFor();
    assert.equal(await field.inputValue(), "");
    await stage.say(page, "for the second");
    await stage.isIdle(second);
    await page.getByText("You said: for the second").waitFor();
    await page
      .getByRole("link", { name: /The first/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "The first" }).waitFor();
    assert.equal(await field.inputValue(), "a draft of the first");
    await page.reload();
    assert.equal(await field.inputValue(), "a draft of the first");
    assert.equal((await stage.server.api.session(first)).turns, 0);
    await page.close();
  });

  inStage("sends once when the answer is lost on the way", async (stage) => {
    const { id, page } = await stage.session();
    stage.proxy.loseAnswer(says("only once, please"));
    await stage.say(page, "only once, please");
    await page.getByText("You said: only once, please").waitFor();
    await stage.turnsOver(page, 1);
    await eventually("the page knows that it was sent", async () => (await page.getByText("sending").count()) === 0);
    assert.equal(stage.proxy.lost, 1);
    assert.equal((await stage.server.api.session(id)).turns, 1);
    await page.close();
  });

  inStage("keeps the words of a prompt that is refused, and says why", async (stage) => {
    const { id, page } = await stage.session();
    await stage.say(page, "[[kept]] go");
    await page.getByText("I begin").waitFor();
    await stage.say(page, "!echo not now");
    const refused = page.getByRole("alert").filter({ hasText: "not sent" });
    await refused.getByText("!echo not now").waitFor();
    stage.model.release("kept");
    await stage.isIdle(id);
    await refused.getByRole("button", { name: "Send again" }).click();
    await page.locator("section.tool", { hasText: "echo not now" }).waitFor();
    await stage.turnsOver(page, 2);
    assert.equal(await refused.count(), 0);
    await page.close();
  });

  inStage("completes slash commands and files", async (stage) => {
    await stage.file("notes-of-today.md", "hello\n");
    const { id, page } = await stage.session();
    const field = page.getByRole("textbox", { name: "Prompt" });
    await field.pressSequentially("/comp");
    await page.getByRole("option", { name: /\/compact/ }).waitFor();
    await field.fill("");
    await field.pressSequentially("see @notes");
    await page.getByRole("option", { name: "@notes-of-today.md" }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await field.inputValue(), "see @notes-of-today.md ");
    await page.keyboard.press("Enter");
    await stage.turnsOver(page, 1);
    const events = await stage.server.api.events(id);
    const content = events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "message" ? (event.data.item.content ?? []) : [],
    );
    assert.ok(JSON.stringify(content).includes("notes-of-today.md"), JSON.stringify(content));
    await page.close();
  });

  inStage("attaches files, within limits that it tells", async (stage) => {
    const { page } = await stage.session();
    const pick = page.locator('input[type="file"]');
    await pick.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") });
    await page.locator(".attachments", { hasText: "dot.png" }).waitFor();
    await pick.setInputFiles({
      name: "big.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.alloc(8_000_000),
    });
    await page.getByText(/a prompt can have 6\.7 MB of files/).waitFor();
    assert.equal(await page.locator(".attachments li").count(), 1);
    await stage.say(page, "look at this");
    await page.locator("img.attached").waitFor();
    await page.close();
  });

  inStage("chooses model and mode for the next turn", async (stage) => {
    const { id, page } = await stage.session();
    await page.getByRole("combobox", { name: "Model" }).selectOption("script/other");
    await eventually("the model is chosen", async () => (await stage.server.api.session(id)).model === "script/other");
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("plan");
    await eventually("the mode is chosen", async () => (await stage.server.api.session(id)).mode === "plan");
    await page.locator(".session-facts", { hasText: "script/other" }).waitFor();
    await page.close();
  });
});
