import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { z } from "zod";
import { nearest } from "../../core/nearest.ts";
import { usageError } from "../exit.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import { syntaxMessage } from "./syntax-error.ts";
import { SETTINGS, type Table } from "./table.ts";

type Issue = z.core.$ZodIssue;

const TYPE: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list with the program first",
  object: "an object",
  record: "an object",
};

const SHOWN = 60;

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.startsWith("Invalid") ? (TYPE[issue.expected] ?? issue.expected) : issue.message;
    case "invalid_value":
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "another name";
    default:
      return issue.message;
  }
}

/** The value in the file, but never the text of a secret. */
function got(path: readonly PropertyKey[], value: unknown, table: Table): string {
  if (value === undefined) return "nothing";
  const secret = path[0] === "token" || table[String(path[0])]?.kind.secret === true;
  if (secret || path.includes("env")) return typeof value === "string" ? "another text" : `a ${typeof value}`;
  const shown = JSON.stringify(value);
  return shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown;
}

function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
}

/** The node of a path, or of the nearest path above it that exists. */
function nodeAt(root: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length) as (string | number)[]);
    if (node) return node;
  }
  return root;
}

function keyNode(root: Node, path: readonly PropertyKey[], key: string): Node {
  const owner = nodeAt(root, path);
  return owner.children?.find((property) => property.children?.[0]?.value === key)?.children?.[0] ?? owner;
}

function unknownKey(key: string, path: readonly PropertyKey[], known: readonly string[]): string {
  const near = path.length === 0 ? nearest(key, known) : undefined;
  return `unknown key "${[...path, key].join(".")}"${near ? `; did you mean "${near}"?` : ""}`;
}

function problemsOf(issue: Issue, root: Node, table: Table): { offset: number; message: string }[] {
  const known = Object.keys(table).filter((key) => table[key]?.file !== undefined);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      offset: keyNode(root, issue.path, key).offset,
      message: unknownKey(key, issue.path, known),
    }));
  }
  // A list that lacks its first entry is wrong as a whole.
  const [last, path] = [issue.path.at(-1), issue.path.slice(0, -1)];
  const list = last === 0 ? findNodeAtLocation(root, path as (string | number)[]) : undefined;
  if (list && list.children?.length === 0) {
    const message = `${path.join(".")}: expected ${TYPE.tuple}, got ${got(path, getNodeValue(list), table)}`;
    return [{ offset: list.offset, message }];
  }
  const found = findNodeAtLocation(root, issue.path as (string | number)[]);
  const value = issue.code === "invalid_key" ? issue.path.at(-1) : found && getNodeValue(found);
  const where = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  const message = `${where}expected ${expectation(issue)}, got ${got(issue.path, value, table)}`;
  return [{ offset: nodeAt(root, issue.path).offset, message }];
}

/** Reads a configuration, or says where it is wrong: file, line, column, what was expected and what is there. */
export function readConfig(source: string, file: string, table: Table = SETTINGS): ConfigFile {
  const text = source.replace(/^\ufeff/, "");
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first) {
    throw usageError(`${file}:${lineAndColumn(text, first.offset)}: ${syntaxMessage(text, first)}`);
  }
  if (!root) return {};
  const schema = configSchema(table);
  const result = schema.safeParse(getNodeValue(root));
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, root, table));
  throw usageError(
    problems.map(({ offset, message }) => `${file}:${lineAndColumn(text, offset)}: ${message}`).join("\n"),
  );
}
