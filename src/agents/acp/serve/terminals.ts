import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { keepNewest } from "../../../core/entries.ts";
import { type Fields, listIn, numberIn, textIn, wordOf } from "../../../core/json/fields.ts";
import { offeredPatterns } from "../../../core/permissions/offer.ts";
import { isHarmless } from "../../../core/permissions/programs/variables.ts";
import { type Assignment, shown } from "../../../core/permissions/shell/word.ts";
import type { CommandHost, RunningCommand, SpawnSpec } from "../../../host/contract.ts";
import { isInside, realInside } from "../../../host/files/inside.ts";
import { shellSpec } from "../../../host/shell-spec.ts";
import { placedLine } from "../../placed-line.ts";
import { lineOf, type Permission } from "../permissions.ts";
import { type Guard, Refused } from "./guard.ts";
import { KeptOutput } from "./kept-output.ts";

const DEFAULT_BYTES = 1_000_000;
const MOST_BYTES = 10_000_000;
/** Of all outputs together. A terminal beyond it keeps little. */
const MOST_KEPT_BYTES = 64_000_000;
const LEAST_BYTES = 65_536;
const MOST_TERMINALS = 100;
const KEPT = 20;
const GRACE_MS = 1_000;

interface Terminal {
  command: RunningCommand;
  output: KeptOutput;
  exit?: { exitCode: number | null; signal: string | null };
  exited: Promise<void>;
}

export interface TerminalsOptions {
  host: CommandHost;
  directory: string;
  /** Whether the user trusts the directory. */
  trusted: boolean;
  session: string;
  guard: Guard;
  prefix: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Output of a terminal as it comes. */
  onOutput(terminal: string, delta: string): void;
}

/** Commands that the program has Parley run in the session's directory, by the session's rules. They end with the session. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #open = new Map<string, Terminal>();
  /** Outputs of those that were released: a call may show them still. */
  readonly #released = new Map<string, KeptOutput>();
  #count = 0;
  #closed = false;
  #starting: Promise<void> = Promise.resolve();

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  async create(params: Fields, withdrawn?: AbortSignal): Promise<Fields> {
    const { directory, guard } = this.#options;
    const command = textIn(params, "command");
    // A word with a dash would be an option of the shell that starts it, and the next word the program.
    if (!command || command.startsWith("-")) throw new Refused("expected a command");
    const args = Array.isArray(params.args) ? params.args.map(wordOf) : [];
    const { place, real } = await this.#placeOf(textIn(params, "cwd"));
    const env = environmentIn(params);
    await guard.permit(permissionOn(ruledLine(command, args, env), place, directory), withdrawn);
    // A start holds up all sessions for a moment: they come between two of them.
    this.#starting = this.#starting.then(() => setImmediate());
    await this.#starting;
    withdrawn?.throwIfAborted();
    // A link may lead elsewhere since a person looked at it: the command runs where it led then.
    if ((await this.#placeOf(place)).real !== real) throw new Refused(`${place} leads elsewhere by now`);
    if (this.#closed) throw new Refused("the session is over");
    if (this.#open.size >= MOST_TERMINALS)
      throw new Refused(`expected at most ${MOST_TERMINALS} terminals: release those that are no longer needed`);
    return { terminalId: this.#start(this.#specOf(command, args, real, env), numberIn(params, "outputByteLimit")) };
  }

  output(params: Fields): Fields {
    const { output, exit } = this.#of(params);
    return { output: output.text, truncated: output.isCut, ...(exit ? { exitStatus: exit } : {}) };
  }

  async waitForExit(params: Fields, withdrawn?: AbortSignal): Promise<Fields> {
    const terminal = this.#of(params);
    await unlessAborted(terminal.exited, withdrawn);
    return { ...(terminal.exit ?? { exitCode: null, signal: null }) };
  }

  async kill(params: Fields): Promise<Fields> {
    await this.#of(params).command.kill(GRACE_MS);
    return {};
  }

  async release(params: Fields): Promise<Fields> {
    const terminal = this.#of(params);
    const id = textIn(params, "terminalId") ?? "";
    this.#open.delete(id);
    keepNewest(this.#released, id, terminal.output, KEPT);
    await terminal.command.kill(GRACE_MS);
    return {};
  }

  /** The output so far; undefined for a terminal that is not Parley's. */
  textOf(id: string): string | undefined {
    return (this.#open.get(id)?.output ?? this.#released.get(id))?.text;
  }

  /** Ends all of them. None is started from now on. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    const open = [...this.#open.values()];
    await Promise.all(open.map(({ command }) => command.kill(graceMs)));
  }

  async #placeOf(cwd: string | undefined): Promise<{ place: string; real: string }> {
    const { directory } = this.#options;
    const place = resolve(directory, cwd ?? ".");
    if (place === directory) return { place, real: place };
    const real = isInside(directory, place) ? await realInside(directory, place) : undefined;
    if (real === undefined) throw new Refused(`expected a cwd inside ${directory}, got ${place}`);
    return { place, real };
  }

  /** A command without arguments is a line of shell: agents differ, and a program's name is one, too. */
  #specOf(command: string, args: readonly string[], directory: string, named: readonly Assignment[]): SpawnSpec {
    const { session, trusted, env: own } = this.#options;
    const shell = shellSpec(command, { directory, session, trusted, env: own });
    const told = Object.fromEntries(named.map(({ name, value }) => [name, value]));
    const env = { ...shell.env, ...told, PARLEY_TOKEN: undefined };
    return args.length === 0 ? { ...shell, env } : { argv: [command, ...args], directory, session, env };
  }

  #start(spec: SpawnSpec, limit: number | undefined): string {
    const id = `term_${this.#options.prefix}_${++this.#count}`;
    const room = Math.max(LEAST_BYTES, MOST_KEPT_BYTES - this.#reserved());
    const output = new KeptOutput(Math.min(limit ?? DEFAULT_BYTES, MOST_BYTES, room));
    const command = this.#options.host.run(spec, {
      output: (text) => {
        output.add(text);
        this.#options.onOutput(id, text);
      },
    });
    const terminal: Terminal = { command, output, exited: Promise.resolve() };
    terminal.exited = command.exited.then(
      ({ code, signal }) => {
        terminal.exit = { exitCode: code, signal };
      },
      (error: unknown) => {
        output.add(error instanceof Error ? error.message : String(error));
        terminal.exit = { exitCode: 127, signal: null };
      },
    );
    this.#open.set(id, terminal);
    return id;
  }

  #reserved(): number {
    const kept = [...[...this.#open.values()].map(({ output }) => output), ...this.#released.values()];
    return kept.reduce((sum, { limit }) => sum + limit, 0);
  }

  #of(params: Fields): Terminal {
    const id = textIn(params, "terminalId") ?? "";
    const terminal = this.#open.get(id);
    if (!terminal) throw new Refused(`there is no terminal ${id}`);
    return terminal;
  }
}

/** Waits for something that goes on by itself. */
async function unlessAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The variables that the program sets for a command. A shell could not set others. */
function environmentIn(params: Fields): Assignment[] {
  return listIn(params, "env").map((one) => {
    const [name, value] = [textIn(one, "name") ?? "", textIn(one, "value") ?? ""];
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new Refused(`expected the name of a variable, got ${JSON.stringify(name)}`);
    return { name, value };
  });
}

/** The line as rules see it: a variable may decide what a command runs. */
function ruledLine(command: string, args: readonly string[], env: readonly Assignment[]): string {
  const line = args.length > 0 ? lineOf([command, ...args]) : command;
  const strange = env.filter((one) => !isHarmless(one)).map(({ name, value }) => `${name}=${shown({ value })}`);
  return strange.length > 0 ? `export ${strange.join(" ")}; ${line}` : line;
}

function permissionOn(line: string, place: string, directory: string): Permission {
  const command = placedLine(line, place, directory);
  const patterns = offeredPatterns(command, directory);
  return {
    action: "bash",
    command,
    patterns,
    title: command,
    input: { command, cwd: place },
    metadata: { tool: "terminal" },
  };
}
