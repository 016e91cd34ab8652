import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export interface Message {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export type Seen = readonly { from: "client" | "agent"; message: Message }[];

interface Definition {
  "x-method"?: string;
  "x-side"?: string;
}

const resolve = createRequire(import.meta.url).resolve;

/** The schema of the params and results of each method. */
function load(path: string) {
  const schema = JSON.parse(readFileSync(resolve(`@agentclientprotocol/sdk/${path}`), "utf8")) as {
    $defs: Record<string, Definition>;
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(schema, "acp");
  const params = new Map<string, ValidateFunction>();
  const results = new Map<string, ValidateFunction>();
  for (const [name, definition] of Object.entries(schema.$defs)) {
    const method = definition["x-method"];
    if (method === undefined) continue;
    const check = ajv.compile({ $ref: `acp#/$defs/${name}` });
    if (name.endsWith("Request") || name.endsWith("Notification")) params.set(method, check);
    else if (name.endsWith("Response")) results.set(method, check);
  }
  return { params, results };
}

/** Holds all messages of the agent against a schema, and that each request of either side has one response at most. */
function assertAll({ params, results }: ReturnType<typeof load>, seen: Seen): void {
  const asked = new Map<string, string>();
  const answered = new Set<string>();
  for (const { from, message } of seen) {
    const { id, method } = message;
    if (method !== undefined) {
      if (id !== undefined) asked.set(`${from}:${id}`, method);
      const check = params.get(method);
      if (from === "agent" && check) valid(check, message.params, message);
      continue;
    }
    const key = `${from === "agent" ? "client" : "agent"}:${id}`;
    assert.ok(!answered.has(key), `answered twice: ${JSON.stringify(message)}`);
    answered.add(key);
    assert.notEqual("result" in message, "error" in message, "exactly one of result and error");
    if (message.error) assert.doesNotMatch(message.error.message, /\n/, "an error's message has one line");
    const check = results.get(asked.get(key) ?? "");
    if (from === "agent" && check && "result" in message) valid(check, message.result, message);
  }
}

function valid(check: ValidateFunction, value: unknown, message: Message): void {
  assert.ok(check(value), `${JSON.stringify(message)}\n${JSON.stringify(check.errors, null, 1)}`);
}

const v1 = load("schema/v1/schema.unstable.json");
const v2 = load("schema/v2/schema.unstable.json");

export const assertV1 = (seen: Seen): void => assertAll(v1, seen);
export const assertV2 = (seen: Seen): void => assertAll(v2, seen);
