import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../../core/logger.ts";
import { ownCommand, quoted } from "../own-command.ts";

export interface Greeting {
  /** The address that clients are told. */
  url: string;
  /** The address that is bound, where that is another one. */
  bound?: string;
  /** Addresses by which other devices reach it, where that is another one. */
  others?: readonly string[];
  token: string | null;
  tokenFile?: string;
  dataDirectory: string;
  /** The data directory as the flag named it: other commands need the flag, too. */
  dataFlag?: string | undefined;
  /** The directories that it is limited to; empty: it is not. */
  roots: readonly string[];
}

/** The line that brings OpenCode's own interface here. The password is in its environment, where others cannot read it. */
function attachLine({ url, token, tokenFile }: Greeting): string {
  if (token === null) return `opencode attach ${url}`;
  const password = tokenFile ? `"$(cat ${quoted(tokenFile)})"` : '"$PARLEY_TOKEN"';
  return `OPENCODE_SERVER_PASSWORD=${password} opencode attach ${url}`;
}

const flagOf = (dataFlag: string | undefined): string =>
  dataFlag === undefined ? "" : ` --data-dir ${quoted(dataFlag)}`;

/** A first prompt that changes nothing of the user's, as most start the server in a project or in Parley's own checkout; then OpenCode's interface. */
function nextLines({ roots: [root], dataFlag }: Greeting): string[] {
  const own = ownCommand();
  const flag = flagOf(dataFlag);
  const directory = quoted(root ?? join(tmpdir(), "try"));
  const first =
    root === undefined
      ? [
          `mkdir -p ${directory} && echo "# Hi" > ${directory}/README.md`,
          `${own} run${flag} --dir ${directory} "Read README.md and add a line at the end"`,
        ]
      : [`${own} run${flag} --dir ${directory} "What is in this directory?"`];
  return [...first, `${own} opencode${flag} ${directory}`].map(
    (line, at) => `  ${at === 0 ? "next" : "    "}    ${line}`,
  );
}

/** Where the console is, and how a browser gets in. */
function consoleLines({ url, others = [], token, dataFlag }: Greeting): string[] {
  const command = `\`${ownCommand()} console${flagOf(dataFlag)}\``;
  const enter = token === null ? "" : `; ${command} opens it and lets the browser in`;
  const device = token === null ? "" : `; ${command} prints a link that lets it in`;
  return [`  console ${url}/console/${enter}`, ...others.map((other) => `  phone   ${other}/console/${device}`)];
}

/** The lines that a person needs next. The token itself is never shown: the file can be. */
export function greetingLines(greeting: Greeting): string[] {
  const { url, bound, token, tokenFile, roots } = greeting;
  const header =
    token === null
      ? ""
      : tokenFile
        ? ` -H "Authorization: Bearer $(cat ${quoted(tokenFile)})"`
        : ' -H "Authorization: Bearer $PARLEY_TOKEN"';
  return [
    token === null
      ? "  token   none: everybody on this machine may use this server"
      : `  token   ${tokenFile ?? "the one you gave; it is not written down"}`,
    ...(bound === undefined ? [] : [`  bound   ${bound}, which clients reach as ${url}`]),
    ...(roots.length === 0 ? [] : [`  roots   ${roots.join(", ")}; --root adds another, --root / allows all`]),
    ...consoleLines(greeting),
    `  try     curl${header} ${url}/v1/agents`,
    `  attach  ${attachLine(greeting)}`,
    ...nextLines(greeting),
    "  stop    Ctrl-C",
  ];
}

/** The first line on stdout is for programs, exactly; the rest is for people, or for their log. */
export function greet(greeting: Greeting, how: { json: boolean; readable: boolean; log: Logger }): void {
  const { url, bound, token, tokenFile, dataDirectory, roots } = greeting;
  process.stdout.write(how.json ? `${JSON.stringify({ url, token, bound })}\n` : `${url}\n`);
  if (how.readable) process.stderr.write(`${greetingLines(greeting).join("\n")}\n`);
  else how.log.info({ url, bound, tokenFile, dataDirectory, roots, pid: process.pid }, "listening");
}
