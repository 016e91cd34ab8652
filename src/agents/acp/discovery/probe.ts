import { messageOf } from "../../../core/errors.ts";
import { within } from "../../../core/within.ts";
import type { ProcessHost, SpawnSpec } from "../../../host/contract.ts";
import { createLastLines } from "../../../host/last-lines.ts";
import { type Peer, shakeHands } from "../handshake.ts";
import { type Heard, readLine } from "../read-line.ts";
import { Rpc } from "../rpc.ts";
import { unknownMethod } from "../served.ts";

const GRACE_MS = 500;
const LEAVE_MS = 1_500;
/** So much is told of what it said last: lines of its output that are no messages, and lines of its stderr. */
const LINES = 3;
const STRAYED_CHARS = 2_048;

type Notification = Extract<Heard, { what: "notification" }>;

export interface Probing<T> {
  ask(rpc: Rpc, peer: Peer): Promise<T>;
  onNotification?(told: Notification): void;
}

/** Starts the program, asks it, and ends it. No turn is begun. The error has its last lines where it left without an answer. */
export async function withProgram<T>(
  host: ProcessHost,
  spec: SpawnSpec,
  limitMs: number,
  { ask, onNotification }: Probing<T>,
): Promise<T> {
  const strayed = createLastLines();
  const program = host.spawn(spec, {
    line(text) {
      const heard = readLine(text);
      if (heard.what === "nothing" && heard.noise) strayed.push(Buffer.from(`${text.slice(0, STRAYED_CHARS)}\n`));
      if (heard.what === "answer") rpc.answered(heard.line);
      if (heard.what === "request") void rpc.reply(heard.id, unknownMethod(heard.method));
      if (heard.what === "notification") onNotification?.(heard);
    },
    oversize() {},
  });
  const rpc = new Rpc((line) => program.write(line));
  const started = program.started.catch((error: unknown) => {
    // One line: the rest of it is the command, which is told with what is known of the agent.
    throw new Error(messageOf(error).split("\n", 1)[0], { cause: error });
  });
  const gone = program.exited.catch(() => undefined);
  void gone.finally(() => rpc.close());
  try {
    const asking = started.then(async () => ask(rpc, await shakeHands(rpc)));
    const answered = await within(asking, limitMs);
    if (!answered) throw new Error(`it did not answer within ${limitMs} ms`);
    return answered.value;
  } catch (error) {
    const exit = await within(gone, GRACE_MS);
    const said = exit?.value ? [...strayed.lines().slice(-LINES), ...exit.value.stderr.slice(-LINES)] : [];
    const words = said.join(" / ");
    throw words ? new Error(`${messageOf(error)}; its last words: ${words}`, { cause: error }) : error;
  } finally {
    program.endInput();
    await within(gone, LEAVE_MS);
    await program.kill(GRACE_MS);
  }
}
