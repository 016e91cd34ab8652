import { basename, dirname, extname, sep } from "node:path";

/** How a program is started. */
export interface SpawnSpec {
  argv: readonly [string, ...string[]];
  directory: string;
  /** Added to Parley's own environment; undefined removes. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The session that it serves: part of the mark by which stray descendants are found. */
  session: string;
  /** Each millisecond until it starts counts, and it starts others only after a while: it gets one of its marks right after its start. */
  hurried?: boolean;
}

export interface Exit {
  code: number | null;
  signal: string | null;
  stderr: string[];
}

export interface LineEvents {
  /** A whole line, without its line feed. A long one is shortened JSON, of which `left` bytes were left out. */
  line(text: string, left?: number): void;
  /** A line that was too long to be delivered as it was and is no JSON; with how it begins. */
  unreadable?(sample: string, bytes: number): void;
  /** A line over the limit was skipped. */
  oversize(bytes: number): void;
}

/** A running program that speaks in lines, in a process group of its own. */
export interface LineProcess {
  readonly pid: number;
  /** Resolves when the program has started; rejects with `SpawnFailed`. */
  readonly started: Promise<void>;
  /** Resolves once, after the program's last line was delivered. Never waits for stray children that hold its output open. */
  readonly exited: Promise<Exit>;
  /** Writes a line; resolves when it was handed to the system, or the program is gone. */
  write(line: string): Promise<void>;
  endInput(): void;
  /** TERM to the group and to marked descendants, KILL after `graceMs`. Resolves when none is left; from then on no pause holds back its last lines. */
  kill(graceMs: number): Promise<void>;
  /** Holds back its lines, and with them its exit; not after a `kill`. */
  pause(): void;
  resume(): void;
}

export interface ProcessHost {
  spawn(spec: SpawnSpec, events: LineEvents): LineProcess;
  /** Whether all programs are stopped where they are: none of them answers, and none is hung. */
  frozen?(): boolean;
}

/** Stops all programs where they are, or has them go on. */
export interface Freezer {
  freeze(frozen: boolean): void;
}

export interface CommandSpec extends SpawnSpec {
  /** Where its standard error goes: between its output (the default), or nowhere, for an output that is read by a program. */
  errors?: "shown" | "dropped";
}

export interface CommandEvents {
  /** Output of the command, in order: its standard output and, unless dropped, its standard error. */
  output(text: string): void;
}

/** A shell command, in a process group of its own. */
export interface RunningCommand {
  /** Resolves once, after its last output; rejects with `SpawnFailed`. Never waits for what it left in the background. */
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  /** As for a program: TERM to all it started, KILL after `graceMs`. Resolves when none is left. */
  kill(graceMs: number): Promise<void>;
}

export interface CommandHost {
  /** Runs a program to its end with nothing on its input. What it leaves behind is ended with it. */
  run(spec: CommandSpec, events: CommandEvents): RunningCommand;
}

/** Names of scripts and folders that say nothing of the program they are of. */
const SAYS_NOTHING = /^(?:index|main|cli|bin|dist|lib|build|out|src)$/;

/** The program as a person knows it: a script that Node runs is known by its own name, or by that of its package; an agent by its name. */
export function programName([program = "a program", script = "-"]: readonly string[]): string {
  if (program.startsWith("acp:")) return program;
  if (basename(program) !== "node" || script.startsWith("-")) return basename(program);
  const name = basename(script, extname(script));
  const folders = dirname(script).split(sep).reverse();
  return [name, ...folders].find((one) => one !== "" && one !== "." && !SAYS_NOTHING.test(one)) ?? name;
}

/** A program could not be started, or ended before it was of use. */
export class SpawnFailed extends Error {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly exitCode: number | null;
  readonly stderr: readonly string[];

  /** `output` has the last lines of its output that could not be read. */
  constructor(
    reason: string,
    spec: { argv: readonly string[]; directory: string },
    exit?: Exit,
    output: readonly string[] = [],
  ) {
    // The reason comes first: a command line may be so long that a screen shows nothing after it.
    const lines = [`could not run ${programName(spec.argv)}: ${reason}`];
    if (exit) lines.push(`exit code ${exit.code ?? "none"}${exit.signal ? `, signal ${exit.signal}` : ""}`);
    const quote = (from: string, said: readonly string[] = []): void => {
      if (said.length > 0) lines.push(`last lines of its ${from}:`, ...said.map((line) => `  ${line}`));
    };
    quote("stderr", exit?.stderr);
    quote("output", output);
    lines.push(`the command was: ${spec.argv.join(" ")}`, `in ${spec.directory}`);
    super(lines.join("\n"));
    this.name = "SpawnFailed";
    this.argv = spec.argv;
    this.directory = spec.directory;
    this.exitCode = exit?.code ?? null;
    this.stderr = exit?.stderr ?? [];
  }
}
