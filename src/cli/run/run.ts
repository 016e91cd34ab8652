import { type Outcome, ParleyApiError, type StreamEvent } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import { othersDone } from "../access/own-server.ts";
import { configure, directoryOf } from "../context.ts";
import { CliError, EXIT, EXIT_CTRL_C, EXIT_PIPE_CLOSED } from "../exit.ts";
import { serverLayer, type TokenFlags } from "../options.ts";
import { endLine, modelIn } from "../output/end-line.ts";
import { safeLine, safeLines } from "../output/safe-text.ts";
import { painter } from "../output/terminal.ts";
import { outputLost, tell } from "../tell.ts";
import { type AskMode, askMode } from "./ask-policy.ts";
import { Asks } from "./asks.ts";
import { type Before, type Begun, begin } from "./begin.ts";
import { exitCodeOf } from "./exit-code.ts";
import { followTurn } from "./follow.ts";
import { Interrupts } from "./interrupts.ts";
import { personAt } from "./lines.ts";
import type { SessionWish } from "./pick-session.ts";
import { Progress } from "./progress.ts";
import { promptText } from "./prompt-text.ts";
import { ReplyText } from "./reply-text.ts";
import { askTrust } from "./trust-question.ts";
import { View } from "./view.ts";

export interface RunFlags extends Omit<SessionWish, "directory" | "defaultAgent">, TokenFlags {
  format: "text" | "json" | "events";
  dir?: string;
  yes?: boolean;
  deny?: boolean;
  dataDir?: string;
}

type EndedSession = Pick<Begun["detail"], "id" | "agent" | "model">;

const ERROR_SHOWN = 2_000;
const FIRST_BYTE_MS = 3_000;

const paint = painter(process.stderr);

/** Shows each event in the format that was asked for. */
function showing(format: RunFlags["format"], view: View): (event: StreamEvent, mine: boolean) => void {
  const reply = new ReplyText();
  const progress = new Progress(paint);
  return (event, mine) => {
    if (format === "events") view.line(JSON.stringify(event));
    // Of a turn that another client began before ours, only its end matters here.
    if (mine || event.type === "gap" || event.turn === undefined) {
      for (const line of progress.take(event)) view.progress(line);
    }
    if (mine && format === "text") view.reply(reply.take(event));
    if (event.type === "prompt.queued" && mine) view.progress(paint("dim", "· waiting: the session is busy"));
    if (event.type !== "turn.ended") view.busy("working");
  };
}

function tellEnd(format: RunFlags["format"], view: View, session: EndedSession, outcome: Outcome): void {
  const { turn, reason, text, usage, error } = outcome;
  view.rest();
  if (format === "json") view.line(JSON.stringify({ session: session.id, turn, reason, text, usage, error }));
  if (reason !== "end_turn") {
    const why = error ? `${reason}: ${safeLines(error.message, ERROR_SHOWN)}` : reason;
    view.progress(paint(reason === "cancelled" ? "yellow" : "red", `parley: the turn ended: ${why}`));
  }
  // Programs have it in the events and in the object.
  if (format === "text") view.progress(paint("dim", `· ${endLine({ ...session, session: session.id, usage })}`));
}

function modeOf(flags: RunFlags): AskMode {
  return askMode(flags, process.stdin.isTTY === true && process.stderr.isTTY === true);
}

/** A person at a terminal is asked before the agent starts. Elsewhere the settings of an untrusted project are left out, and the turn says so. */
function trustBefore(flags: RunFlags, interrupts: Interrupts): Before {
  const { signal } = interrupts;
  return async (client, session) => {
    if (modeOf(flags) !== "terminal") return;
    await askTrust(client, session, { person: personAt(process.stdin, process.stderr), paint, signal });
    if (signal.aborted) throw new CliError("stopped before it began", interrupts.code);
  };
}

/** Follows the turn to its end, and resolves with the exit code that tells how it ended. */
async function follow(begun: Begun, flags: RunFlags, interrupts: Interrupts): Promise<number> {
  const view = new View(process.stdout, process.stderr);
  const session = begun.client.session(begun.detail);
  const asks = new Asks({
    mode: modeOf(flags),
    person: personAt(process.stdin, process.stderr),
    view,
    paint,
    answer: (ask, answer) => session.answer(ask, answer),
    waits: async (ask) => (await session.asks()).some(({ id }) => id === ask),
  });
  const show = showing(flags.format, view);
  const ended: EndedSession = { ...begun.detail };
  const event = (one: StreamEvent, mine: boolean): void => {
    show(one, mine);
    ended.model = modelIn(one) ?? ended.model;
  };
  const lost = (reason: string): void => view.progress(paint("yellow", `~ connection: ${safeLine(reason)}`));
  interrupts.signal.addEventListener("abort", () => {
    if (interrupts.code === EXIT_PIPE_CLOSED) view.mute();
    if (interrupts.code === EXIT_CTRL_C) view.interrupted();
    view.progress(paint("yellow", "stopping; once more to leave at once"));
  });
  view.busy("working");
  try {
    const outcome = await followTurn(begun, asks, { event, lost }, interrupts.signal);
    tellEnd(flags.format, view, ended, outcome);
    return exitCodeOf(outcome.reason, asks.refusedUnasked);
  } finally {
    view.rest();
  }
}

/** Another `parley run` may have found the server in this process. A second signal leaves without waiting for it. */
async function letOthersFinish({ own, detail }: Begun, stop: AbortSignal): Promise<void> {
  if (!own) return;
  const note = paint("dim", "· another command works through this one: waiting for it; Ctrl-C leaves at once");
  const until = stop.aborted ? new AbortController().signal : stop;
  await othersDone(own.parley, { own: detail.id }, () => process.stderr.write(`${note}\n`), until);
}

/** The line on stdout for a failure that is no event: the turn could not begin, or could not be followed. */
function errorLine(error: unknown): string {
  const cause = error instanceof CliError && error.cause instanceof ParleyApiError ? error.cause.code : undefined;
  const usage = error instanceof CliError && error.exitCode === EXIT.usage;
  const code = cause ?? (usage ? "usage" : "failed");
  return `${JSON.stringify({ type: "error", data: { code, message: messageOf(error) } })}\n`;
}

/** Gives one prompt to an agent and returns the exit code that tells how it ended. */
export async function run(words: readonly string[], flags: RunFlags): Promise<number> {
  try {
    return await runTurn(words, flags);
  } catch (error) {
    if (flags.format === "events") process.stdout.write(errorLine(error));
    throw error;
  }
}

async function runTurn(words: readonly string[], flags: RunFlags): Promise<number> {
  const directory = directoryOf(flags.dir);
  const { settings } = await configure(serverLayer(flags), directory);
  const prompt = await promptText(words, process.stdin, { firstByteMs: FIRST_BYTE_MS, tell });
  const interrupts = new Interrupts();
  // Nobody reads the reply any more: the turn is stopped too.
  const lost = (error: unknown): void => {
    if (!interrupts.signal.aborted) interrupts.stop(outputLost(error));
  };
  process.stdout.on("error", lost);
  const wish = { ...flags, directory, defaultAgent: settings.defaultAgent };
  const begun = await begin(settings, wish, prompt, trustBefore(flags, interrupts));
  let code: number;
  try {
    code = await follow(begun, flags, interrupts);
    await letOthersFinish(begun, interrupts.signal);
  } catch (error) {
    throw error instanceof Error ? new CliError(error.message, undefined, error) : error;
  } finally {
    await begun.own?.close();
    interrupts.close();
    process.stdout.off("error", lost);
  }
  // The last words may have been refused while the server closed.
  return interrupts.code ?? code;
}
