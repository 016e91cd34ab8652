/** A terminal of the server, with a program in it. */
export interface Terminal {
  id: string;
  directory: string;
  /** Where nodes of several places share a database. */
  place?: string;
  title: string;
  command: string;
  args: string[];
  status: "running" | "exited";
  /** 128 and the signal's number where one ended it. */
  exitCode?: number;
  pid: number;
  /** The offsets of the output that is kept, in UTF-16 units. */
  output: { start: number; end: number };
}

export interface NewTerminal {
  /** An absolute path on the server's machine; the server's own directory otherwise. */
  directory?: string;
  /** In place of a directory: that of a session. */
  session?: string;
  place?: string;
  /** The program; the user's own shell otherwise. */
  command?: string;
  args?: string[];
  title?: string;
  cols?: number;
  rows?: number;
}

export interface TerminalChange {
  title?: string;
  size?: { cols: number; rows: number };
}

/** The binary frames of a terminal's WebSocket, as JSON: where its output begins, and that its program is gone. */
export type TerminalFrame = { type: "begin"; offset: number } | { type: "exit"; code: number };
