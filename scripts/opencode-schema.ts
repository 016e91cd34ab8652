import { readFileSync, writeFileSync } from "node:fs";

// Takes the form of OpenCode's answers from its own document into schema/opencode.json, of which GET /doc is made:
// `node scripts/opencode-schema.ts DOCUMENT`, where the document is what `GET /doc` of `opencode serve` answers.

const TARGET = new URL("../schema/opencode.json", import.meta.url);
const REF = /"#\/components\/schemas\/([^"]+)"/g;

interface Native {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: unknown }> }> }>
  >;
  components: { schemas: Record<string, unknown> };
}

/** `/global/event` puts the same events into an envelope. Native's description of it repeats each of them. */
const GLOBAL_EVENT = {
  type: "object",
  properties: {
    directory: { type: "string" },
    project: { type: "string" },
    payload: { $ref: "#/components/schemas/Event" },
  },
  required: ["payload"],
  additionalProperties: false,
};

/** The operation that also has the status of a session, which native does not have there. */
const WITH_STATUS = "GET /session/{sessionID}";

/** The schema of a session with its status. */
function sessionWithStatus(session: unknown): object {
  const { properties, required, ...rest } = session as { properties: object; required: string[] };
  const status = { $ref: "#/components/schemas/SessionStatus" };
  return { ...rest, properties: { ...properties, status }, required: [...required, "status"] };
}

/** Without descriptions: the form alone is taken over. A property may have that name, too: then it is a schema. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => key !== "description" || typeof inner !== "string");
  return Object.fromEntries(kept.map(([key, inner]) => [key, bare(inner)]));
}

function lines(entries: Record<string, unknown>): string {
  const rows = Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{\n${rows.join(",\n")}\n}`;
}

function written({ paths, components }: Native): string {
  const schemas: Record<string, unknown> = { ...components.schemas, GlobalEvent: GLOBAL_EVENT };
  const responses: Record<string, Record<string, Record<string, unknown>>> = {};
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const good = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
      responses[`${method.toUpperCase()} ${path}`] = Object.fromEntries(
        good.map(([status, { content = {} }]) => [
          status,
          Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, bare(schema)])),
        ]),
      );
    }
  schemas.SessionWithStatus = sessionWithStatus(schemas.Session);
  responses[WITH_STATUS] = { 200: { "application/json": { $ref: "#/components/schemas/SessionWithStatus" } } };
  const used: Record<string, unknown> = {};
  const take = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(REF)) {
      if (name in used) continue;
      used[name] = bare(schemas[name]);
      take(used[name]);
    }
  };
  take(responses);
  const sorted = Object.fromEntries(Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `{"responses":${lines(responses)},\n"schemas":${lines(sorted)}}\n`;
}

const [document] = process.argv.slice(2);
if (document === undefined) throw new Error("expected the file with OpenCode's document, got no argument");
writeFileSync(TARGET, written(JSON.parse(readFileSync(document, "utf8")) as Native));
