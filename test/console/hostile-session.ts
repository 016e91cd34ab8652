import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Signal } from "../../src/core/ledger/signals.ts";
import type { Script } from "../../src/testing/sample-agent/script.ts";
import { asName, PAYLOADS, type Payload } from "./payloads.ts";

/** So many payloads are in one session. */
const EACH = 25;

/** A payload behind the name of its place. */
export function inPlace(place: string, { mark, text }: Payload): string {
  return `${place} ${mark} ${text}`;
}

function diffOf(payload: Payload): string {
  const line = inPlace("diff", payload);
  return `@@ -1,1 +1,1 @@ ${inPlace("hunk", payload)}\n-${line}\n+${line} again\n`;
}

/** What was said and done with a payload: text, reasoning, calls of tools that do well and that fail, notes. */
function itemsOf(payload: Payload): Signal[] {
  const { mark } = payload;
  const put = (place: string): string => inPlace(place, payload);
  const change = {
    path: asName(payload),
    kind: "modified",
    diff: diffOf(payload),
    additions: 1,
    deletions: 1,
  } as const;
  return [
    { type: "text.done", item: `t${mark}`, kind: "message", role: "assistant", text: put("text") },
    { type: "text.done", item: `r${mark}`, kind: "reasoning", text: put("reasoning") },
    {
      type: "tool.seen",
      call: `a${mark}`,
      name: put("tool"),
      title: put("title"),
      input: { [put("key")]: put("input") },
    },
    { type: "tool.done", call: `a${mark}`, ok: true, output: put("output") },
    { type: "tool.seen", call: `b${mark}`, name: "edit", input: { path: asName(payload), content: put("content") } },
    { type: "tool.done", call: `b${mark}`, ok: true, output: "", files: [change] },
    { type: "tool.seen", call: `c${mark}`, name: "bash", input: { command: put("command") } },
    { type: "tool.done", call: `c${mark}`, ok: false, error: { code: "failed", message: put("failure") } },
    { type: "note", level: "warn", text: put("note") },
  ];
}

function asksOf(payload: Payload): Signal[] {
  const { mark } = payload;
  const put = (place: string): string => inPlace(place, payload);
  const options = [{ label: put("option"), description: put("description") }, { label: "none" }];
  return [
    { type: "permission", ask: `p${mark}`, action: put("action"), command: put("asked"), title: put("headline") },
    {
      type: "permission",
      ask: `d${mark}`,
      action: "edit",
      patterns: [asName(payload)],
      metadata: { diff: diffOf(payload), reason: put("reason") },
    },
    { type: "question", ask: `q${mark}`, questions: [{ question: put("question"), header: put("header"), options }] },
  ];
}

function scriptOf(payloads: readonly Payload[]): Script {
  const say = (signals: Signal[]) => signals.map((signal) => ({ signal }));
  const said = (place: string): string =>
    payloads
      .slice(0, 1)
      .map((payload) => inPlace(place, payload))
      .join("");
  const entries = payloads.map((payload) => ({ text: inPlace("plan", payload), status: "pending" as const }));
  return {
    said: say([
      { type: "session", title: said("named") },
      ...payloads.flatMap(itemsOf),
      { type: "plan", entries },
      // A turn ends with one error.
      { type: "turn.finished", reason: "error", error: { code: "failed", message: said("error") } },
    ]),
    asks: [...say(payloads.flatMap(asksOf)), { wait: "cancel" }],
  };
}

/** The payloads in groups, and a file with the script of each for the scripted agent. */
export async function hostileScripts(directory: string): Promise<{ path: string; payloads: readonly Payload[] }[]> {
  const groups = Array.from({ length: PAYLOADS.length / EACH }, (_, at) => PAYLOADS.slice(at * EACH, (at + 1) * EACH));
  return Promise.all(
    groups.map(async (payloads, at) => {
      const path = join(directory, `hostile-${at}.json`);
      await writeFile(path, JSON.stringify(scriptOf(payloads)));
      return { path, payloads };
    }),
  );
}

/** Directories with such names. */
export function hostileDirectories(directory: string): Promise<string[]> {
  return Promise.all(
    PAYLOADS.map(async (payload) => {
      const path = join(directory, asName(payload));
      await mkdir(path);
      return path;
    }),
  );
}
