import type { AnyMessage } from "@agentclientprotocol/sdk";
import { createClient } from "../../client/index.ts";
import { present } from "../../core/json/fields.ts";
import { within } from "../../core/within.ts";
import type { Ahead } from "../../server/agent-parts.ts";
import { exitCodeOf } from "../../server/lifecycle/lifecycle.ts";
import { createLogger, type ServerLogger } from "../../server/logging/logger.ts";
import type { Settings } from "../config/settings.ts";
import { configure, directoryOf } from "../context.ts";
import { EXIT } from "../exit.ts";
import { serverLayer, type TokenFlags } from "../options.ts";
import { Interrupts } from "../run/interrupts.ts";
import { tell } from "../tell.ts";
import { packageVersion } from "../version.ts";
import { earlyCode } from "./early-code.ts";
import { messageStream, PROMPT, type Refusal } from "./message-stream.ts";
import { takeStdout, type WriteOut } from "./own-stdout.ts";
import { type Left, ServerLink } from "./server-link.ts";

export interface AcpFlags extends TokenFlags {
  agent?: string;
  dataDir?: string;
}

/** The client knows no address: each request is sent to the server that runs at that moment. */
const ANY_SERVER = "http://127.0.0.1";
const CLIENT_NAME = "parley-acp";

/** How long requests may wait for their answers once the server in here has closed. */
const LAST_ANSWERS_MS = 500;

const INTERNAL = -32_603;

/** How long a client may take to cancel its turns after Ctrl-C. */
const CTRL_C_MS = 1_000;

/** How long the last answers may take to be written: a client that reads no more must not keep us. */
const LAST_LINES_MS = 500;

/** A client's first request waits no longer for the start of the agent's program. */
const BEGUN_MS = 250;

function loggerFor({ logLevel }: Settings): ServerLogger {
  return createLogger({ level: logLevel === "info" ? "warn" : logLevel, readable: true });
}

/** A refused request is told on stderr, too, which editors keep. */
function watchAnswers(logger: ServerLogger, isLeaving: () => boolean): (message: AnyMessage) => void {
  return (message) => {
    if ("error" in message) {
      const { code, data, message: words } = message.error;
      // A client that ends a turn by going knows it.
      const level = isLeaving() ? "debug" : "warn";
      logger[level](present({ code, request: message.id, data }), words);
    }
  };
}

function linkFor(settings: Settings, directory: string, ahead: Ahead): ServerLink {
  const start = async () => {
    const { startOwnServer } = await import("../access/own-server.ts");
    const own = await startOwnServer(settings, directory, { ahead });
    void own.parley.listener.warm();
    return own;
  };
  return new ServerLink({ settings, start });
}

/**
 * The server of the data directory, which is looked for or started from now on, and the surface that is its client. An agent's program may take seconds to start:
 * it goes first. Then comes the surface, which answers the client's first request without a server, and the server last.
 */
async function openLink(settings: Settings, directory: string, agent: string | undefined) {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const surface = within(begun, BEGUN_MS).then(() => import("../../surfaces/acp/lazy-agent.ts"));
  const link = linkFor(settings, directory, {
    agent,
    async begun() {
      resolve();
      await surface;
    },
  });
  void link.warm().finally(resolve);
  return { link, ...(await surface) };
}

/** The fate of the turns of a client that goes, by the server that ran them. */
const TURNS = {
  here: () => "what it began was stopped",
  elsewhere: ({ url }: { url: string }) => `it goes on in the server at ${url}, and parley sessions shows it`,
  unknown: () => "the server is gone, and parley sessions shows what became of its turn",
};

/** The answers to requests that this command cannot answer any more. */
function cutOff(left: Left): (method: string) => Refusal {
  const fate = left.where === "elsewhere" ? TURNS.elsewhere(left) : TURNS[left.where]();
  return (method) => ({
    code: INTERNAL,
    message: `parley acp ended before the answer${method === PROMPT ? `: ${fate}` : ""}`,
    data: { code: "interrupted" },
  });
}

/** Resolves with the exit code when the client is gone, a signal came, or by a defect. */
function untilOver(closed: Promise<unknown>, interrupts: Interrupts): Promise<number> {
  return new Promise((resolve) => {
    closed.then(
      () => resolve(EXIT.ok),
      () => resolve(EXIT.ok),
    );
    process.stdout.on("error", () => resolve(EXIT.ok));
    if (interrupts.signal.aborted) resolve(EXIT.ok);
    interrupts.signal.addEventListener("abort", () => resolve(EXIT.ok));
    for (const fatal of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(fatal, (thrown: unknown) => {
        tell(`this is a defect of Parley: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown}`);
        resolve(EXIT.failed);
      });
    }
  });
}

/** Earlier writes are done when the callback comes. */
function flushed(write: WriteOut): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LAST_LINES_MS);
    write("", () => resolve());
  });
}

/** Serves the client on stdin and stdout until it is gone; returns the exit code. */
export async function acp(flags: AcpFlags): Promise<number> {
  const write = takeStdout();
  const directory = directoryOf(undefined);
  const { settings } = await configure(serverLayer(flags), directory);
  if (process.stdin.isTTY) tell("this is for editors, which speak in lines of JSON; parley help acp shows how");
  const interrupts = new Interrupts();
  const logger = loggerFor(settings);
  const { link, createLazyAcpAgent } = await openLink(settings, directory, flags.agent);
  const client = createClient({ url: ANY_SERVER, name: CLIENT_NAME, fetch: link.fetch });
  const agent = createLazyAcpAgent({
    client: async () => client,
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    endsWithClient: () => link.isOwn,
    version: packageVersion(),
    logger,
  });
  let isLeaving = false;
  const heard = [watchAnswers(logger, () => isLeaving), earlyCode()];
  const sent = (message: AnyMessage): void => {
    for (const hear of heard) hear(message);
  };
  const stream = messageStream({ input: process.stdin, write, sent });
  const connection = agent.connect(stream);
  const code = await untilOver(connection.closed, interrupts);
  isLeaving = true;
  // Ctrl-C reaches the client, too: a cancel of its own comes first.
  if (interrupts.code === exitCodeOf("SIGINT"))
    await Promise.all([stream.answered(CTRL_C_MS), within(connection.rest(), CTRL_C_MS)]);
  await connection.leave();
  const left = await link.close(interrupts.signal);
  const answersCome = interrupts.signal.aborted && left.where === "here";
  if (answersCome) await connection.end();
  await stream.finish(cutOff(left), answersCome ? LAST_ANSWERS_MS : 0);
  link.leave();
  await Promise.all([flushed(write), logger.flush()]);
  interrupts.close();
  return code;
}
