import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Script, type ScriptedModel, startScriptedModel } from "../../src/testing/index.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { GROUP_MS } from "../support/time.ts";
import { type ConsoleStage, openConsole } from "./stage.ts";

/** A stage whose default agent is the house agent, on a scripted model. */
export interface SessionStage extends ConsoleStage {
  model: ScriptedModel;
  /** A new session in which nothing is asked, and its page. */
  session(more?: object): Promise<{ id: string; page: Page }>;
  /** Writes a prompt into the page and sends it. */
  say(page: Page, text: string): Promise<void>;
  /** Resolves when so many turns of the page are over. */
  turnsOver(page: Page, count: number): Promise<void>;
  isIdle(session: string): Promise<void>;
  file(name: string, content: string): Promise<void>;
}

/** The text in a place of the page. Unlike innerText it has also what the browser does not paint now. */
export const textOf = async (place: Locator): Promise<string> => (await place.textContent()) ?? "";

export const ALLOW_ALL = [{ action: "*", pattern: "*", verdict: "allow" }];

async function openStage(script: Script, closing: (() => Promise<void>)[]): Promise<SessionStage | undefined> {
  const after = (close: () => Promise<void>): void => void closing.unshift(close);
  const model = await startScriptedModel({ script });
  after(() => model.close());
  const endpoint = { url: `${model.url}/v1`, models: [{ id: "model", context: 100_000 }, { id: "other" }] };
  const house = { model: "script/model", endpoints: { script: endpoint } };
  const stage = await openConsole({ after }, { defaultAgent: "house", house });
  if (!stage) return undefined;
  const { server, open } = stage;
  return {
    ...stage,
    model,
    async session(more = {}) {
      const { id } = await server.api.create({ directory: server.directory, permissions: ALLOW_ALL, ...more });
      const page = await open(`s/${id}`);
      await page.getByRole("textbox", { name: "Prompt" }).waitFor();
      return { id, page };
    },
    async say(page, text) {
      await page.getByRole("textbox", { name: "Prompt" }).fill(text);
      await page.keyboard.press("Enter");
    },
    turnsOver: (page, count) =>
      eventually(
        `${count} turns are over`,
        async () => (await page.locator(".transcript > .turn.over").count()) >= count,
      ),
    isIdle: (session) =>
      eventually("the session is idle", async () => (await server.api.session(session)).turn === null),
    file: (name, content) => writeFile(join(server.directory, name), content),
  };
}

type Run = (stage: SessionStage) => Promise<void>;

/** Tests of pages that share a server, a model and a browser; skipped where there is no browser. */
export function describeSessions(
  name: string,
  script: Script,
  define: (inStage: (name: string, run: Run) => void) => void,
): void {
  describe(name, { timeout: GROUP_MS }, () => {
    const closing: (() => Promise<void>)[] = [];
    let stage: SessionStage | undefined;
    before(async () => {
      stage = await openStage(script, closing);
    });
    after(async () => {
      for (const close of closing) await close();
    });
    define((title, run) => {
      test(title, (t) => (stage ? run(stage) : t.skip(NO_BROWSER)));
    });
  });
}
