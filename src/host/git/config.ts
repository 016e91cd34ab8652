import type { GitSetting } from "../../core/git-settings.ts";

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };
const SECTION = /^\[\s*([\w.-]+)\s*(?:"((?:\\.|[^"\\])*)")?\s*\]/;
const KEY = /^([A-Za-z][\w-]*)\s*(=?)/;

/** A value: quotes keep spaces and the signs of a comment, a backslash at a line's end goes on with the next line. */
function valueText(text: string): string {
  let value = "";
  let quoted = false;
  /** How much of it stays when spaces at its end are left out. */
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (!quoted && (sign === "#" || sign === ";")) break;
    if (sign === '"') quoted = !quoted;
    else if (sign === "\\") {
      at += 1;
      const next = text[at] ?? "";
      if (next !== "\n") value += ESCAPES[next] ?? next;
    } else value += sign;
    if (quoted || !/\s/.test(sign)) kept = value.length;
  }
  return value.slice(0, kept);
}

/** The settings in the text of one of git's configuration files, without the files that it includes. */
export function settingsIn(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = "";
  // A line that ends with a backslash goes on, unless it is a comment: no setting that is taken needs that case.
  for (const line of text.replaceAll("\r\n", "\n").match(/(?:\\\n|[^\n])+/g) ?? []) {
    let rest = line.trimStart();
    const header = SECTION.exec(rest);
    if (header) {
      const [whole, name = "", part] = header;
      section = part === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${part.replaceAll(/\\(.)/g, "$1")}`;
      rest = rest.slice(whole.length).trimStart();
    }
    const [whole, key = "", equals] = KEY.exec(rest) ?? [];
    if (whole === undefined || section === "") continue;
    const value = equals === "=" ? valueText(rest.slice(whole.length).trimStart()) : "true";
    settings.push([`${section}.${key.toLowerCase()}`, value]);
  }
  return settings;
}

/** How a repository is stored: git reads these from its file alone. */
const FORMAT: ReadonlySet<string> = new Set(["extensions.objectformat", "extensions.refstorage"]);

/** Settings that change an answer of git's and can run no program. Everything else of a repository's own is left out. */
const HARMLESS: ReadonlySet<string> = new Set([
  "core.autocrlf",
  "core.checkstat",
  "core.eol",
  "core.excludesfile",
  "core.filemode",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.sparsecheckout",
  "core.sparsecheckoutcone",
  "core.symlinks",
  "core.trustctime",
  "init.defaultbranch",
]);

/** Of the user's own configuration: a new repository is made by it, too. */
const USERS: ReadonlySet<string> = new Set([...HARMLESS, "core.attributesfile", "init.templatedir"]);

export function harmless(settings: readonly GitSetting[]): GitSetting[] {
  return settings.filter(([name]) => HARMLESS.has(name));
}

export function usersOwn(settings: readonly GitSetting[]): GitSetting[] {
  return settings.filter(([name]) => USERS.has(name));
}

/** The text of a configuration that says how a repository is stored, and nothing else. */
export function formatText(settings: readonly GitSetting[]): string {
  const format = new Map(settings.filter(([name, value]) => FORMAT.has(name) && /^[\w-]{1,32}$/.test(value)));
  const lines = [...format].map(([name, value]) => `\t${name.slice("extensions.".length)} = ${value}\n`);
  const version = format.size === 0 ? 0 : 1;
  const extensions = format.size === 0 ? "" : `[extensions]\n${lines.join("")}`;
  return `[core]\n\trepositoryformatversion = ${version}\n${extensions}`;
}
