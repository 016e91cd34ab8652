import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { MakeId } from "../../core/ids.ts";
import { findProgram } from "../find-program.ts";
import { createKeeper, type KeeperOptions, type Keeping, type Kept } from "../process-keeper.ts";
import type { TerminalChange, TerminalEvent, TerminalSpec, Terminals } from "./contract.ts";
import { TerminalRefused } from "./contract.ts";
import { terminalEnvironment } from "./environment.ts";
import { loadPtySpawn, type PtySpawn } from "./pty-process.ts";
import { listShells, preferredShell, withLogin } from "./shells.ts";
import { OpenTerminal, startFault } from "./terminal.ts";

export interface TerminalsOptions extends KeeperOptions {
  id: MakeId;
  load?: () => Promise<PtySpawn>;
  /** How many may run at once. */
  limit?: number;
  /** How many that have exited are kept, for those who ask how they ended. */
  keptExited?: number;
  /** How many characters of each one's output are kept. */
  keptChars?: number;
}

const LIMIT = 64;
const KEPT_EXITED = 25;
const KEPT_CHARS = 2 * 1024 * 1024;
/** Between the hang-up and the kill. */
const GRACE_MS = 1_000;

async function checkDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  const fault = found ? "is not a directory" : "does not exist";
  throw new TerminalRefused("directory", `${path} ${fault}: name a directory that is there as cwd`);
}

async function checkProgram(command: string, cwd: string, path: string | undefined): Promise<string> {
  const found = await findProgram(command.includes("/") ? resolve(cwd, command) : command, path);
  if (found !== undefined) return found;
  throw new TerminalRefused("program", `no program ${command} was found: install it, or name another as command`);
}

/** All terminals of this server. */
export class OpenTerminals implements Terminals {
  readonly #options: TerminalsOptions;
  readonly #keep: (kept: Kept) => Keeping;
  readonly #terminals = new Map<string, OpenTerminal>();
  readonly #listeners = new Set<(event: TerminalEvent) => void>();
  /** Terminals that are still being ended. */
  readonly #endings = new Set<Promise<void>>();
  #starting = 0;
  #closing = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
    this.#keep = createKeeper(options);
  }

  async create(spec: TerminalSpec): Promise<OpenTerminal> {
    const { limit = LIMIT } = this.#options;
    const running = this.#all((one) => !one.ended).length + this.#starting;
    if (running >= limit)
      throw new TerminalRefused("limit", `${running} terminals are open, which is the most there can be: close one`);
    this.#starting += 1;
    try {
      return await this.#open(spec);
    } finally {
      this.#starting -= 1;
    }
  }

  list(directory?: string): OpenTerminal[] {
    return this.#all((one) => directory === undefined || one.directory === directory);
  }

  get(id: string): OpenTerminal | undefined {
    return this.#terminals.get(id);
  }

  update(id: string, change: TerminalChange): OpenTerminal | undefined {
    const terminal = this.#terminals.get(id);
    if (!terminal) return undefined;
    terminal.change(change);
    this.#publish({ type: "updated", directory: terminal.directory, info: { ...terminal.info } });
    return terminal;
  }

  async remove(id: string): Promise<boolean> {
    const terminal = this.#terminals.get(id);
    if (!terminal) return false;
    this.#terminals.delete(id);
    await this.#ending(terminal);
    this.#publish({ type: "deleted", directory: terminal.directory, id });
    return true;
  }

  shells = listShells;

  listen(listener: (event: TerminalEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const terminal of this.#all((one) => !one.ended)) void this.#ending(terminal);
    await Promise.all(this.#endings);
  }

  async #open({ directory, command: named, args = [], cwd: where, title, env = {}, size }: TerminalSpec) {
    const id = this.#options.id("terminal");
    const cwd = resolve(directory, where ?? "");
    await checkDirectory(cwd);
    const command = named || (await preferredShell());
    const program = await checkProgram(command, cwd, env.PATH);
    const spawn = await this.#load();
    if (this.#closing) throw new TerminalRefused("failed", "this server is shutting down: try again when it is back");
    const all = withLogin(command, args);
    const keeping = this.#keep({ argv: [program, ...all], session: id, gentle: "SIGHUP" });
    const terminal = this.#start({
      id,
      directory,
      title: title || `Terminal ${id.slice(-4)}`,
      command,
      spec: { program, args: all, cwd, env: terminalEnvironment(process.env, env, keeping.mark), size },
      keeping,
      spawn,
      keptChars: this.#options.keptChars ?? KEPT_CHARS,
    });
    this.#terminals.set(id, terminal);
    this.#publish({ type: "created", directory, info: { ...terminal.info } });
    void terminal.exited.then(() => this.#exited(terminal));
    return terminal;
  }

  #start(opening: ConstructorParameters<typeof OpenTerminal>[0]): OpenTerminal {
    try {
      return new OpenTerminal(opening);
    } catch (thrown) {
      throw new TerminalRefused("failed", startFault(thrown), thrown);
    }
  }

  async #load(): Promise<PtySpawn> {
    try {
      return await (this.#options.load ?? loadPtySpawn)();
    } catch (thrown) {
      const message = `there are no terminals on this system, because their native part does not load: ${messageOf(thrown)}`;
      throw new TerminalRefused("unavailable", message, thrown);
    }
  }

  #exited(terminal: OpenTerminal): void {
    void this.#ending(terminal);
    if (!this.#terminals.has(terminal.id)) return;
    const { id, directory, info } = terminal;
    this.#publish({ type: "exited", directory, id, exitCode: info.exitCode ?? 0 });
    const old = this.#all((one) => one.ended).slice(0, -(this.#options.keptExited ?? KEPT_EXITED));
    for (const one of old) {
      this.#terminals.delete(one.id);
      this.#publish({ type: "deleted", directory: one.directory, id: one.id });
    }
  }

  /** Ends what runs in a terminal, also what its program left behind, and never rejects. */
  #ending(terminal: OpenTerminal): Promise<void> {
    const ending = terminal.end(GRACE_MS).catch((thrown: unknown) => {
      this.#options.log?.("a terminal could not be ended", { terminal: terminal.id, reason: messageOf(thrown) });
    });
    this.#endings.add(ending);
    return ending.finally(() => this.#endings.delete(ending));
  }

  #all(passes: (one: OpenTerminal) => boolean): OpenTerminal[] {
    return [...this.#terminals.values()].filter(passes);
  }

  #publish(event: TerminalEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
