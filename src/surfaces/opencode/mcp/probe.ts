import type { McpServer } from "../../../agents/contract.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";
import { fieldsIn, isFields, jsonIn, textIn } from "../../../core/json/fields.ts";
import type { CommandHost } from "../../../host/contract.ts";
import { runToEnd } from "../../../host/run-to-end.ts";

export type McpStatus = { status: "connected" | "disabled" | "needs_auth" } | { status: "failed"; error: string };

const MAX_CHARS = 1_000_000;
const MAX_ERROR = 500;

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "parley", version: "1" } },
});

const ENDED = "parley: ended with";

/** Greets a program and leaves its input open: one that ends with its input would end before it has answered. Says when it has ended. */
const GREETED = `greeting=$1; shift
{ printf '%s\\n' "$greeting"; sleep 600; } | { "$@"; printf '\\n%s %s\\n' '${ENDED}' "$?"; }`;

function failed(error: string): McpStatus {
  return { status: "failed", error: error.trim().slice(0, MAX_ERROR) || "it said nothing" };
}

/** The meaning of a line: the answer to the greeting, or nothing. */
function answerIn(line: string): McpStatus | undefined {
  if (line.startsWith(ENDED)) return failed(`it ended with ${line.slice(ENDED.length).trim()}`);
  const said = jsonIn(line);
  if (!isFields(said) || said.id !== 1) return undefined;
  if (isFields(said.result)) return { status: "connected" };
  return failed(textIn(fieldsIn(said, "error"), "message") ?? "it refused to begin");
}

async function probeProgram(
  host: CommandHost,
  { command, args = [], env = {} }: Extract<McpServer, { type: "stdio" }>,
  directory: string,
  limitMs: number,
): Promise<McpStatus> {
  if (command === "") return failed("its command is empty");
  const answered = new AbortController();
  let status: McpStatus | undefined;
  let text = "";
  const argv: [string, ...string[]] = ["/bin/sh", "-c", GREETED, "sh", INITIALIZE, command, ...args];
  const { code, stopped } = await runToEnd({
    host,
    spec: { argv, directory, env, session: "workspace", errors: "shown" },
    signal: answered.signal,
    limitMs,
    maxChars: MAX_CHARS,
    output(piece) {
      text += piece;
      const lines = text.split("\n");
      status ??= lines
        .slice(0, -1)
        .map(answerIn)
        .find((one) => one !== undefined);
      if (status) answered.abort();
    },
  });
  if (status?.status === "failed" && text.includes(ENDED))
    return failed(
      `${status.error}: ${text
        .slice(0, text.indexOf(`\n${ENDED}`))
        .trim()
        .slice(-MAX_ERROR)}`,
    );
  if (status) return status;
  if (stopped === "time") return failed(`it did not answer within ${limitMs} ms`);
  return failed(`it wrote too much, or was ended with ${code ?? "a signal"}`);
}

async function probeAddress(
  { url, headers = {} }: Extract<McpServer, { type: "http" | "sse" }>,
  limitMs: number,
): Promise<McpStatus> {
  const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const signal = AbortSignal.timeout(limitMs);
  const response = await fetch(url, { method: "POST", headers: { ...headers, ...accept }, body: INITIALIZE, signal });
  await response.body?.cancel();
  if (response.status === 401) return { status: "needs_auth" };
  return response.ok ? { status: "connected" } : failed(`it answered with ${response.status}`);
}

/** Whether a server can be begun, or reached, and greets back. Nothing of it runs afterwards. */
export async function probe(
  host: CommandHost,
  server: McpServer,
  directory: string,
  limitMs: number,
): Promise<McpStatus> {
  try {
    if (server.type === "stdio") return await probeProgram(host, server, directory, limitMs);
    return await probeAddress(server, limitMs);
  } catch (error) {
    if (server.type === "stdio") return failed(messageOf(error));
    // The words of fetch may repeat the address and the headers, which may hold secrets; the codes of the network do not.
    const { cause } = error as { cause?: unknown };
    const code = codeOf(cause);
    if (code !== undefined) return failed(`it cannot be reached: ${code}`);
    const late = error instanceof Error && error.name === "TimeoutError";
    return failed(late ? `it did not answer within ${limitMs} ms` : "its address or its headers cannot be used");
  }
}
