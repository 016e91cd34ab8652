import { type Ask, type AskAnswer, ParleyApiError, type ParleyClient } from "../../client/index.ts";
import { isId } from "../../core/ids.ts";
import { withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import { CliError, usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { painter } from "../output/terminal.ts";
import { askPermission, askQuestions, offeredKinds, parseAnswer, parsePermission } from "../run/ask-dialog.ts";
import { elsewhere, resolutionIn } from "../run/asks.ts";
import { personAt } from "../run/lines.ts";
import { answerLine } from "./list.ts";

type QuestionAsk = Extract<Ask, { kind: "question" }>;

/** The answer to a question: one word of the command line for each, or all words for the only one. */
function questionAnswer({ request }: QuestionAsk, words: readonly string[]): AskAnswer {
  const { questions } = request;
  const [only] = questions;
  const line = words.join(" ");
  const label = only?.options.some((option) => option.label.toLowerCase() === line.toLowerCase());
  const refused = label ? null : /^(?:deny|reject)(?:\s+(.*))?$/is.exec(line);
  if (refused) return refused[1] ? { outcome: "rejected", feedback: refused[1] } : "rejected";
  const said = questions.length === 1 ? [line] : words;
  if (said.length !== questions.length) {
    throw usageError(`expected ${questions.length} answers, one for each question, got ${said.length}`);
  }
  const answers = questions.map((question, at) => {
    const answer = parseAnswer(said[at] ?? "", question);
    if (answer) return answer;
    const options = question.options.map((option, number) => `${number + 1} (${safeLine(option.label)})`).join(", ");
    throw usageError(
      `"${safeLine(question.question)}": expected ${options}, or deny; got "${safeLine(said[at] ?? "")}"`,
    );
  });
  return { outcome: "answered", answers };
}

/** The answer that the words of a command line give to an ask. */
export function answerFrom(ask: Ask, words: readonly string[]): AskAnswer {
  if (ask.kind === "question") return questionAnswer(ask, words);
  const answer = parsePermission(words.join(" "), offeredKinds(ask.request));
  if (answer) return answer;
  throw usageError(`expected ${answerLine(ask)}; a reason may follow deny, got "${safeLine(words.join(" "))}"`);
}

async function askedAtTerminal(ask: Ask): Promise<AskAnswer> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw usageError(`expected an answer: ${answerLine(ask)}`);
  }
  const person = personAt(process.stdin, process.stderr);
  const [paint, { signal }] = [painter(process.stderr), new AbortController()];
  const answer =
    ask.kind === "permission"
      ? await askPermission(ask.request, person, paint, signal)
      : await askQuestions(ask.request, person, paint, signal);
  if (answer) return answer;
  throw new CliError("nothing was answered: the input has ended; it still waits");
}

/**
 * An ask that does not wait. The server says who answered it, whichever session it is asked for; the answer that is sent
 * for this is of the other kind, so that no ask could take it.
 */
async function notOpen(client: ParleyClient, given: string, open: readonly Ask[]): Promise<CliError> {
  const none = open.length === 0 ? "nothing waits for an answer now" : "parley asks lists those that wait";
  const unknown = usageError(`no ask ${given || '""'}; ${none}`);
  const isPermission = isId("permission", given);
  const { sessions } = await client.sessions.list({ limit: 1 });
  if (!sessions[0] || !(isPermission || isId("question", given))) return unknown;
  try {
    await client.session(sessions[0]).answer(given, isPermission ? "rejected" : "reject");
    return unknown;
  } catch (error) {
    const won = error instanceof ParleyApiError ? resolutionIn(error) : undefined;
    return won ? new CliError(`${given}: ${elsewhere(won)}`) : unknown;
  }
}

/** The ask that a whole or abbreviated id means. */
async function findAsk(client: ParleyClient, given: string): Promise<Ask> {
  const open = await client.asks();
  const found = open.filter(({ id }) => id === given || id.startsWith(given) || id.endsWith(given));
  const [only] = found;
  if (!only || given === "") throw await notOpen(client, given, open);
  if (found.length > 1) throw usageError(`${given} can mean ${found.length} asks: write more of it`);
  return only;
}

/** Answers an ask. The first answer wins: a later one is told of it. */
export async function answerAsk(given: string, words: readonly string[], flags: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  return withStore(settings, async (store) => {
    const client = store.client ?? (await store.serve?.());
    if (!client) throw new CliError(`no server runs on ${settings.dataDir}, so nothing waits for an answer`);
    const ask = await findAsk(client, given);
    const answer = words.length > 0 ? answerFrom(ask, words) : await askedAtTerminal(ask);
    try {
      const { outcome } = await client.session(ask.session).answer(ask, answer);
      if (flags.json) return `${JSON.stringify({ ask: ask.id, session: ask.session, outcome })}\n`;
      process.stderr.write(`${ask.id}: ${outcome}\n`);
      return "";
    } catch (error) {
      const won = error instanceof ParleyApiError ? resolutionIn(error) : undefined;
      throw won ? new CliError(`${ask.id}: ${elsewhere(won)}`) : error;
    }
  });
}
