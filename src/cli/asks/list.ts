import type { Ask } from "../../client/index.ts";
import { findSession, withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { age } from "../output/table.ts";
import { type Paint, painter } from "../output/terminal.ts";
import { offeredKinds, permissionText, questionText } from "../run/ask-dialog.ts";

/** The whole ask, so that nobody allows what they have not seen. */
export function askText(ask: Ask, paint: Paint): string {
  if (ask.kind === "permission") return permissionText(ask.request, paint);
  return ask.request.questions.map((question) => questionText(question, paint)).join("");
}

const WORDS = { once: "allow", always: "always", reject: "deny" } as const;

/** The command that answers it. */
export function answerLine(ask: Ask): string {
  if (ask.kind === "question") return `parley answer ${ask.id} "…"`;
  const words = offeredKinds(ask.request).map((kind) => WORDS[kind]);
  return `parley answer ${ask.id} ${words.join("|")}`;
}

function block(ask: Ask, now: number, paint: Paint): string {
  const head = `${ask.id}  ${age(ask.time, now)}  in ${safeLine(ask.session)}`;
  return `${paint("cyan", head)}\n${askText(ask, paint)}  ${paint("dim", answerLine(ask))}\n`;
}

/** The asks that wait for an answer, oldest first: of all sessions, or of one and its sub-agents. */
export async function listAsks(given: string | undefined, { dataDir, json }: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir });
  const asks = await withStore(settings, async (store) => {
    const session = given === undefined ? undefined : await findSession(store, given);
    return (await store.asks(session))?.toSorted((a, b) => a.time - b.time);
  });
  if (json) return `${JSON.stringify(asks ?? [])}\n`;
  if (!asks?.length) {
    const why = asks ? "" : ": no server runs here";
    process.stderr.write(`nothing waits for an answer${why}\n`);
    return "";
  }
  const paint = painter(process.stdout);
  return asks.map((ask) => block(ask, Date.now(), paint)).join("\n");
}
