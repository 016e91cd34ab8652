import type { Setting, Table } from "../../../src/cli/config/table.ts";

const HEAD = ["key", "variable", "flag of `serve`", "default", "in a project's file", "meaning"];

function code(text: string | undefined): string {
  return text ? `\`${text}\`` : "";
}

function defaultOf({ default: text, otherwise = "", kind }: Setting): string {
  return code(text) || (kind.repeatable && otherwise === "" ? "none" : otherwise);
}

function projectOf({ file, trustedValue }: Setting): string {
  if (file === "any") return trustedValue === undefined ? "yes" : `yes; ${code(trustedValue)} if it is trusted`;
  return file === "trusted" ? "if it is trusted" : "no";
}

function meaningOf({ means, more, kind }: Setting): string {
  const values = kind.values ? [`One of ${kind.values.map(code).join(", ")}`] : [];
  return [means, ...values, ...(more === undefined ? [] : [more])].join(". ");
}

/** The table of settings in docs/configuration.md. */
export function settingsPage(table: Table): string[] {
  const rows = Object.entries(table).map(([name, setting]) => [
    code(setting.file && name),
    code(setting.variable),
    code(setting.flag?.split(" ")[0]),
    defaultOf(setting),
    projectOf(setting),
    meaningOf(setting),
  ]);
  return [HEAD, HEAD.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** A page with its table of settings replaced. */
export function withSettings(page: string, table: Table): string {
  const lines = page.split("\n");
  const first = lines.findIndex((line) => /^\| key +\|/.test(line));
  const count = lines.slice(first).findIndex((line) => !line.startsWith("|"));
  return lines.toSpliced(first, count, ...settingsPage(table)).join("\n");
}
