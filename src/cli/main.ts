import { isParleyError, messageOf } from "../core/errors.ts";
import { CliError, EXIT, systemCodeOf } from "./exit.ts";
import { takeSignals } from "./launcher/signals.ts";
import { launcherEnd } from "./launcher/watch.ts";
import { nameSources } from "./stack/name-sources.ts";
import { outputLost, tell } from "./tell.ts";
import { packageVersion } from "./version.ts";

const VERSION_FLAGS = ["--version", "-v", "-V"];
/** Programs wait for these to start. */
const QUICK = ["serve", "acp"];

/** Every user can read arguments in the list of processes. The title replaces them where the system allows it. */
function hideToken(argv: readonly string[]): void {
  if (argv.some((argument) => argument === "--token" || argument.startsWith("--token="))) {
    process.title = `parley ${argv[0] ?? ""}`;
  }
}

/** One line for what can be expected to go wrong; a stack only for a defect. */
function report(thrown: unknown): number {
  if (thrown instanceof CliError) {
    if (thrown.message !== "") tell(thrown.message);
    return thrown.exitCode;
  }
  if (isParleyError(thrown) || systemCodeOf(thrown) !== undefined) {
    tell(messageOf(thrown));
    return EXIT.failed;
  }
  tell(`this is a defect of Parley: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  return EXIT.failed;
}

async function perform(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && VERSION_FLAGS.includes(argv[0] ?? "")) {
    process.stdout.write(`${packageVersion()}\n`);
    return;
  }
  if (argv[0] === "__complete") {
    const { printValues } = await import("./completion/values.ts");
    return printValues(argv.slice(1));
  }
  hideToken(argv);
  try {
    const code = QUICK.includes(argv[0] ?? "") ? await (await import("./quick/quick.ts")).runQuickly(argv) : undefined;
    if (code !== undefined) process.exitCode = code;
    else await (await import("./program.ts")).runProgram(argv);
  } catch (thrown) {
    process.exitCode = report(thrown);
  }
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}

/** Runs a command and ends the process with its exit code, even while sockets or timers are open. */
export async function main(argv: readonly string[]): Promise<void> {
  // Sources that run as they are have no other name; `scripts/start` names those that it compiled.
  if (import.meta.url.endsWith(".js")) nameSources(new URL("..", import.meta.url).href);
  takeSignals();
  launcherEnd();
  // Commands that must tidy up first, or go on without a reader, add a listener of their own.
  process.stdout.on("error", (error) => {
    if (process.stdout.listenerCount("error") === 1) process.exit(outputLost(error));
  });
  // Nobody reads the log any more: that is no reason to end, and telling it would fail again and again.
  process.stderr.on("error", () => {});
  await perform(argv);
  await Promise.all([written(process.stdout), written(process.stderr)]);
  process.exit();
}
