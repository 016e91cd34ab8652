import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";

/** The words of a block of content; what is no text is named. */
export function wordsOf(block: Fields): string {
  const text = textIn(block, "text");
  if (text !== undefined) return text;
  const resource = fieldsIn(block, "resource");
  const uri = textIn(block, "uri") ?? textIn(resource, "uri");
  switch (block.type) {
    case "resource":
      return textIn(resource, "text") ?? `(${uri ?? "a resource"})`;
    case "resource_link":
      return `[${textIn(block, "title") ?? textIn(block, "name") ?? "link"}](${uri ?? ""})`;
    case "image":
    case "audio":
      return `(${block.type}: ${textIn(block, "mimeType") ?? "of an unknown type"})`;
    default:
      return "";
  }
}

/** The blocks that a tool call's content holds, without diffs and terminals. */
export function blocksOf(content: readonly Fields[]): Fields[] {
  return content.flatMap((one) => (one.type === "content" ? [fieldsIn(one, "content")] : []));
}

export function textOf(content: readonly Fields[]): string {
  return blocksOf(content)
    .map(wordsOf)
    .filter((words) => words !== "")
    .join("\n");
}

/** The content of a call that is not its output: pictures, links, other words, or a diff alone. */
export function shownContent(content: readonly Fields[], output: string | undefined): Fields[] | undefined {
  const blocks = blocksOf(content);
  const isOutput = blocks.every(({ type }) => type === "text") && textOf(content) === (output ?? "");
  return content.length === 0 || terminalsOf(content).length > 0 || isOutput ? undefined : blocks;
}

export interface Diff {
  path: string;
  /** Absent: there was no file. */
  before?: string;
  after: string;
}

export function diffsOf(content: readonly Fields[]): Diff[] {
  return content.flatMap((one) => {
    const [path, before, after] = [textIn(one, "path"), textIn(one, "oldText"), textIn(one, "newText")];
    if (one.type !== "diff" || path === undefined || after === undefined) return [];
    return [{ path, after, ...(before === undefined ? {} : { before }) }];
  });
}

/** Terminals whose output is shown as the call's. */
export function terminalsOf(content: readonly Fields[]): string[] {
  return content.flatMap((one) => (one.type === "terminal" ? (textIn(one, "terminalId") ?? []) : []));
}

export interface Location {
  path: string;
  line?: number;
}

export function locationsOf(holder: Fields): Location[] {
  return listIn(holder, "locations").flatMap((one) => {
    const path = textIn(one, "path");
    if (path === undefined) return [];
    return [{ path, ...(typeof one.line === "number" ? { line: one.line } : {}) }];
  });
}
