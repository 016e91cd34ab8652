import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { describeSessions } from "./session-stage.ts";

const change = (path: string, before: string, after: string) => [
  { tools: [{ name: "read", input: { path } }] },
  { tools: [{ name: "edit", input: { path, old: before, new: after } }] },
  { text: `Changed ${path}.` },
];

const script = {
  pace: 0,
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    first: change("one.txt", "a", "b"),
    second: change("two.txt", "c", "d"),
  },
};

describeSessions("the changes of a session", script, (inStage) => {
  inStage("are told by turn and as a whole, taken back and brought again", async (stage) => {
    await stage.file("one.txt", "a\n");
    await stage.file("two.txt", "c\n");
    const text = (name: string): Promise<string> => readFile(join(stage.server.directory, name), "utf8");
    const { page } = await stage.session({ title: "Changes" });
    await stage.say(page, "[[first]] go");
    await stage.turnsOver(page, 1);
    await stage.say(page, "[[second]] go");
    await stage.turnsOver(page, 2);
    await page.getByRole("link", { name: /^Changes/ }).click();
    await eventually("both files are shown", async () => (await page.locator(".diff").count()) === 2);
    const turn = page.getByRole("navigation", { name: "Turns" }).getByRole("button", { name: /second/ });
    await turn.click();
    await eventually("one file is shown", async () => (await page.locator(".diff").count()) === 1);
    assert.deepEqual(await page.locator(".diff-line .diff-words").allTextContents(), ["c", "d"]);

    await page.getByRole("button", { name: "Take back this turn…" }).click();
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await page.getByText("One turn is taken back").waitFor();
    assert.deepEqual([await text("one.txt"), await text("two.txt")], ["b\n", "c\n"]);
    await page.getByRole("link", { name: "Transcript" }).click();
    await page.locator(".turn.taken", { hasText: "This turn was taken back." }).waitFor();
    await page.getByRole("link", { name: /^Changes/ }).click();
    await page.getByRole("button", { name: "Bring it back" }).click();
    await eventually("the file is as it was", async () => (await text("two.txt")) === "d\n");
    await eventually(
      "nothing is taken back",
      async () => (await page.getByText("One turn is taken back").count()) === 0,
    );

    await stage.file("two.txt", "changed by hand\n");
    await turn.click();
    await page.getByRole("button", { name: "Take back this turn…" }).click();
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await page.getByRole("alert").getByText("two.txt").waitFor();
    assert.equal(await text("two.txt"), "changed by hand\n");
    await page.close();
  });
});
