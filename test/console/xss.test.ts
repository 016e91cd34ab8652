import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import { SAMPLE_AGENT } from "../cli/support.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { temporary } from "../support/server.ts";
import { GROUP_MS } from "../support/time.ts";
import { hostileDirectories, hostileScripts, inPlace } from "./hostile-session.ts";
import { asName, isPlain, PAYLOADS, type Payload } from "./payloads.ts";
import { type ConsoleStage, openConsole } from "./stage.ts";

/** Tells of scripts that ran, breaks of the policy, dialogs, and requests to other hosts. */
async function watchHarm(page: Page, origin: string, harm: string[]): Promise<void> {
  page.on("request", (request) => {
    if (/^(https?|wss?):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      harm.push(`request to ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    harm.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction("ran", () => harm.push(`a script ran at ${page.url()}`));
  await page.exposeFunction("broke", (what: string) => harm.push(`the policy was broken: ${what}`));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      void Reflect.get(globalThis, "broke")([violatedDirective, blockedURI, sample].join(" "));
    });
  });
}

/** Opens all that is folded, again and again until nothing is, and reads all pages of older events. */
async function unfold(page: Page): Promise<void> {
  await eventually("there is nothing older", () =>
    page.evaluate(() => {
      const buttons = [...document.querySelectorAll<HTMLButtonElement>("main button")];
      const older = buttons.find(({ textContent }) => /^(Show what came before|Older events)$/.test(textContent));
      older?.click();
      return older === undefined;
    }),
  );
  await eventually("nothing is folded", () =>
    page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      const folded = [...document.querySelectorAll<HTMLElement>("main [aria-expanded=false]:not([data-answer])")];
      for (const fold of folded) fold.click();
      return folded.length === 0;
    }),
  );
}

/** All text of the page, and what of it is no text. */
async function look(page: Page, harm: readonly string[]): Promise<string> {
  const { text, wrong } = await page.evaluate(() => {
    const app = document.getElementById("app");
    const wrong: string[] = [];
    for (const element of app?.querySelectorAll("*") ?? []) {
      if (/^(script|style|iframe|object|embed|base|link|meta|image|math|foreignobject)$/i.test(element.tagName))
        wrong.push(`the element ${element.tagName}`);
      for (const { name, value } of element.attributes) {
        // The prompt's field grows with its text.
        const isHeight = name === "style" && /^block-size: [\d.]+px;$/.test(value);
        if (/^on|^srcdoc$|^style$/.test(name) && !isHeight) wrong.push(`the attribute ${name}=${value}`);
        const isAddress = /^(href|src|action|formaction|xlink:href|data)$/.test(name);
        if (isAddress && !/^(https?|mailto):$/.test(new URL(value, location.href).protocol))
          wrong.push(`the address ${name}=${value}`);
        if (name === "src" && new URL(value, location.href).host !== location.host) wrong.push(`a source ${value}`);
      }
    }
    return { text: app?.textContent ?? "", wrong };
  });
  assert.deepEqual(wrong, [], `elements of ${page.url()}`);
  assert.deepEqual(harm, []);
  return text;
}

function assertShown(text: string, places: readonly string[], payloads: readonly Payload[], whole = true): void {
  for (const payload of payloads) {
    for (const place of places) {
      const words = whole && isPlain(payload) ? inPlace(place, payload) : `${place} ${payload.mark}`;
      assert.ok(text.includes(words), `expected the page to show: ${words}`);
    }
  }
}

describe("hostile texts in the console", { timeout: GROUP_MS }, () => {
  const closing: (() => Promise<void>)[] = [];
  const owner = { after: (close: () => Promise<void>) => void closing.unshift(close) };
  const sessions: { id: string; payloads: readonly Payload[] }[] = [];
  const harm: string[] = [];
  let stage: ConsoleStage | undefined;
  let page: Page;
  before(async () => {
    const directory = await temporary(owner);
    const scripts = await hostileScripts(directory);
    const agents = Object.fromEntries(
      scripts.map(({ path }, at): [string, ConfiguredAgent] => [
        `hostile${at}`,
        { command: [process.execPath, SAMPLE_AGENT, "--script", path] },
      ]),
    );
    stage = await openConsole(owner, { agents });
    if (!stage) return;
    const { api } = stage.server;
    for (const [at, { payloads }] of scripts.entries()) {
      const id = await stage.begin("[[said]]", { agent: `hostile${at}` });
      await api.call("POST", `/v1/sessions/${id}/prompts`, { text: "[[asks]]" });
      sessions.push({ id, payloads });
    }
    const directories = await hostileDirectories(directory);
    await Promise.all(
      PAYLOADS.map((payload, at) =>
        api.create({ agent: "scripted", directory: directories[at], title: inPlace("called", payload) }),
      ),
    );
    await eventually("all asks are open", async () => {
      const states = await Promise.all(sessions.map(({ id }) => api.session(id)));
      return states.every(({ asks }, at) => asks.length === 3 * (sessions[at]?.payloads.length ?? 0));
    });
    page = await stage.open("inbox");
    await watchHarm(page, new URL(page.url()).origin, harm);
    await page.reload();
  });
  after(async () => {
    for (const close of closing) await close();
  });
  const inPage = (name: string, run: () => Promise<void>): void => {
    test(name, (t) => (stage ? run() : t.skip(NO_BROWSER)));
  };
  const at = (path: string): Promise<unknown> => page.goto(new URL(`/console/${path}`, page.url()).href);

  inPage("are seen to do harm where nothing keeps them from it", async () => {
    assert.equal(PAYLOADS.length, 200);
    const other = await page.context().newPage();
    const seen: string[] = [];
    const { origin } = new URL(page.url());
    await watchHarm(other, origin, seen);
    await other.goto(`${origin}/console/agents`);
    await other.evaluate(() => {
      void Reflect.get(globalThis, "ran")();
      document.body.append(Object.assign(document.createElement("img"), { src: "http://elsewhere.invalid/x.png" }));
    });
    const kinds = [/^a script ran/, /^the policy was broken: img-src/, /^request to .*elsewhere/];
    await eventually("harm is told", async () => kinds.every((kind) => seen.some((one) => kind.test(one))));
    await other.close();
  });

  inPage("stay text in the inbox: commands, diffs, questions and their options", async () => {
    await eventually("all asks are shown", async () => (await page.locator("article.ask").count()) === 600);
    const text = await look(page, harm);
    assertShown(text, ["asked", "headline", "diff", "reason", "question", "header", "option", "description"], PAYLOADS);
  });

  inPage("stay text on the board: titles and directories", async () => {
    await at("");
    await eventually("all sessions are shown", async () => (await page.locator(".session-row").count()) >= 208);
    const text = await look(page, harm);
    assertShown(text, ["called"], PAYLOADS);
    for (const payload of PAYLOADS) assert.ok(text.includes(asName(payload)), asName(payload));
  });

  inPage("stay text in transcripts: messages, reasoning, calls, results, plans, errors", async () => {
    for (const { id, payloads } of sessions) {
      await at(`s/${id}`);
      await page.locator(".turn.over").waitFor();
      await unfold(page);
      const text = await look(page, harm);
      assertShown(text, ["tool", "title", "command", "output", "failure", "note"], payloads);
      assertShown(text, ["error"], payloads.slice(0, 1));
      assertShown(text, ["plan", "diff", "hunk", "asked", "question"], payloads);
      assertShown(text, ["text", "reasoning"], payloads, false);
      assertShown(text, ["key", "input"], payloads, false);
    }
  });

  inPage("stay text in diffs of a session", async () => {
    for (const { id, payloads } of sessions) {
      await at(`s/${id}/changes`);
      await eventually("all files are shown", async () => (await page.locator(".diff").count()) === payloads.length);
      const text = await look(page, harm);
      assertShown(text, ["diff", "hunk"], payloads);
      for (const payload of payloads) assert.ok(text.includes(asName(payload)), asName(payload));
    }
  });

  inPage("stay text in the inspector, with the agent's own lines", async () => {
    for (const { id, payloads } of sessions) {
      await at(`s/${id}/events`);
      await page.locator(".event-row").first().waitFor();
      await unfold(page);
      assertShown(await look(page, harm), ["text", "output", "diff", "asked", "question"], payloads, false);
    }
  });

  inPage("stay text in what a search finds", async () => {
    await at("search");
    for (const { mark } of PAYLOADS.filter((_, index) => index % 8 === 0)) {
      await page.getByRole("searchbox").fill(mark);
      await page.locator(".hit mark", { hasText: mark }).first().waitFor();
      await look(page, harm);
    }
  });

  inPage("stay text in what the page says of a refusal", async () => {
    await at("");
    const detail = PAYLOADS.map((payload) => inPlace("refused", payload)).join("\n");
    await page.route("**/v1/sessions/*", (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify({ detail }) })
        : route.continue(),
    );
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole("dialog").getByLabel("Title", { exact: true }).fill("another");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.locator(".toasts .notice").first().waitFor();
    assertShown(await look(page, harm), ["refused"], PAYLOADS);
    await page.unroute("**/v1/sessions/*");
  });

  inPage("stay text in notices of the browser", async () => {
    const { server } = stage ?? assert.fail();
    const [{ payloads } = assert.fail()] = sessions;
    await page.context().grantPermissions(["notifications"]);
    await at("agents");
    await page.locator(".link-state.live").first().waitFor({ state: "attached" });
    // The browser's own, which are real: only their words are noted. Nobody looks at the page meanwhile.
    await page.evaluate(() => {
      const told: string[] = [];
      document.hasFocus = () => false;
      class Told extends Notification {
        constructor(title: string, options?: NotificationOptions) {
          super(title, options);
          told.push(`${title}\n${options?.body}`);
        }
      }
      Object.assign(globalThis, { told, Notification: Told });
    });
    const title = inPlace("heard", payloads[0] ?? assert.fail());
    const { id } = await server.api.create({ directory: server.directory, agent: "hostile0", title });
    await server.api.call("POST", `/v1/sessions/${id}/prompts`, { text: "[[asks]]" });
    const told = (): Promise<string[]> => page.evaluate(() => Reflect.get(globalThis, "told"));
    await eventually("all asks are told", async () => (await told()).length >= 3 * payloads.length);
    const all = await told();
    assert.ok(all.every((one) => one.includes(title)));
    assertShown(all.join("\n"), ["asked", "question"], payloads, false);
    await look(page, harm);
  });

  inPage("stay text in a menu, a notice and the title of the tab", async () => {
    const [first] = PAYLOADS;
    assert.ok(first);
    await at("");
    const row = page.locator(".session-row", { hasText: `called ${first.mark}` });
    await row.getByRole("button").click();
    await page.getByRole("dialog").waitFor();
    await look(page, harm);
    await page.keyboard.press("Escape");
    await row.getByRole("link").click();
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    await eventually("the tab is named", async () => (await page.title()).includes(first.text));
    await look(page, harm);
  });
});
