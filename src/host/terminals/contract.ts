/** How a terminal is opened. */
export interface TerminalSpec {
  /** The user's own shell where none is named. */
  command?: string;
  args?: readonly string[];
  /** Where it runs: `directory`, unless something else is said, which may be relative to that. */
  cwd?: string;
  /** The directory that it belongs to: terminals are listed by directory. */
  directory: string;
  title?: string;
  env?: Readonly<Record<string, string>>;
  /** 80 columns and 24 rows unless told. */
  size?: TerminalSize;
}

export interface TerminalSize {
  rows: number;
  cols: number;
}

export interface TerminalInfo {
  id: string;
  title: string;
  command: string;
  args: readonly string[];
  cwd: string;
  status: "running" | "exited";
  pid: number;
  /** Once it has exited; 128 and the signal's number where one ended it. */
  exitCode?: number;
}

/** The last output of a terminal. Offsets are counted in UTF-16 units, as clients in browsers count. */
export interface KeptText {
  /** The offset of the first character that is still kept. */
  readonly start: number;
  /** The offset behind the last character. */
  readonly end: number;
  /** A piece from an offset on, never beyond `to` and never half a character; `next` is the offset after it. */
  read(from: number, to: number): { text: string; next: number };
}

/** One terminal with a program in it. Its output is kept, so that any number of readers can follow it, each at its own offset. */
export interface Terminal {
  readonly id: string;
  readonly directory: string;
  readonly info: TerminalInfo;
  readonly output: KeptText;
  /** Whether all of the output is there and no more will come. */
  readonly ended: boolean;
  /** Calls after each output and at the end. Returns what stops it. */
  watch(listener: () => void): () => void;
  /** Resolves when the terminal has taken it, or is gone. */
  write(input: string | Buffer): Promise<void>;
}

export interface TerminalChange {
  title?: string;
  size?: TerminalSize;
}

export type TerminalEvent =
  | { type: "created" | "updated"; directory: string; info: TerminalInfo }
  | { type: "exited"; directory: string; id: string; exitCode: number }
  | { type: "deleted"; directory: string; id: string };

export interface Shell {
  path: string;
  name: string;
  /** Whether commands written for a POSIX shell run in it. */
  acceptable: boolean;
}

export interface Terminals {
  /** Rejects with `TerminalRefused`. */
  create(spec: TerminalSpec): Promise<Terminal>;
  /** Running ones, and those that exited and are still kept, oldest first: of a directory, or all. */
  list(directory?: string): Terminal[];
  get(id: string): Terminal | undefined;
  update(id: string, change: TerminalChange): Terminal | undefined;
  /** Ends all that runs in it; resolves when that is gone, with false where there is no such terminal. */
  remove(id: string): Promise<boolean>;
  shells(): Promise<Shell[]>;
  listen(listener: (event: TerminalEvent) => void): () => void;
  /** Ends all of them and opens no more. */
  close(): Promise<void>;
}

/** Why a terminal could not be opened: the native part is missing, there are too many, or what was asked for is not there. */
export type Refusal = "unavailable" | "limit" | "directory" | "program" | "failed";

export class TerminalRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TerminalRefused";
    this.refusal = refusal;
  }
}
