/** A file of the console. */
export interface BundledFile {
  /** Its path below `/console/`, such as `assets/main-ABCD.js`. */
  name: string;
  bytes: Uint8Array;
}

/** The console as a bundler makes it. */
export interface Bundle {
  files: readonly BundledFile[];
  /** The sources that it is made of: a change to one of them makes it stale. */
  sources: readonly string[];
}

/** Names below this hold a hash of their content. */
export const HASHED = "assets/";
export const CONSOLE_DOCUMENT = "index.html";
/** The same page; it loads at once what a session's page needs beside. */
export const SESSION_DOCUMENT = "session.html";
export const TERMINAL_DOCUMENT = "terminal.html";
