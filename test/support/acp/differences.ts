import { type Fields, fieldsIn, isFields, listIn, textIn } from "../../../src/core/json/fields.ts";
import type { Open, Told } from "./told.ts";

/** A way in which what a client is told through Parley differs from what the agent itself tells it. */
export interface Difference {
  /** As docs/acp.md names it. */
  name: string;
  /** Takes the difference from both sides; throws where more is lost than the difference allows. */
  level(native: Told, proxied: Told): void;
}

class Lost extends Error {}

function assertHas(what: string, all: unknown, part: unknown): void {
  if (!holds(all, part)) throw new Lost(`${what}: ${JSON.stringify(part)} is not in ${JSON.stringify(all)}`);
}

/** Whether a value has all of another one. */
function holds(all: unknown, part: unknown): boolean {
  if (isFields(part) && isFields(all)) return Object.entries(part).every(([name, value]) => holds(all[name], value));
  if (Array.isArray(part) && Array.isArray(all)) return part.every((one) => all.some((other) => holds(other, one)));
  return JSON.stringify(all) === JSON.stringify(part);
}

/** Whether all of a list is in another one, in that order. */
export function isWithin(part: readonly unknown[], all: readonly unknown[]): boolean {
  const rest = [...all];
  return part.every((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(0, at + 1);
    return at >= 0;
  });
}

/** Calls of both sides, one after the other. */
function eachCall(native: Told, proxied: Told, visit: (native: Open, proxied: Open) => void): void {
  for (const [at, call] of native.calls.entries()) visit(call, proxied.calls[at] ?? {});
  for (const [at, { call }] of native.permissions.entries()) visit(call, proxied.permissions[at]?.call ?? {});
}

/** The lines that a diff takes and adds, without those around them. */
function changedLines(before: string, after: string): { removed: string[]; added: string[] } {
  const [removed, added] = [before.split("\n"), after.split("\n")];
  while (removed.length > 0 && added.length > 0 && removed[0] === added[0]) {
    removed.shift();
    added.shift();
  }
  while (removed.length > 0 && added.length > 0 && removed.at(-1) === added.at(-1)) {
    removed.pop();
    added.pop();
  }
  return { removed, added };
}

function withLines(call: Open): void {
  const content = listIn(call, "content");
  if (content.length === 0) return;
  const shown = content.map((part) =>
    part.type === "diff"
      ? { type: "diff", path: part.path, ...changedLines(textIn(part, "oldText") ?? "", textIn(part, "newText") ?? "") }
      : part,
  );
  call.content = [...shown.filter(({ type }) => type !== "diff"), ...shown.filter(({ type }) => type === "diff")];
}

/** A text of a call without the marks of code around it. */
function unfenced(part: Fields): Fields {
  const content = fieldsIn(part, "content");
  const [, text] = /^```\w*\n([\s\S]*)\n```$/.exec(textIn(content, "text") ?? "") ?? [];
  return text === undefined ? part : { ...part, content: { ...content, text } };
}

function levelRawOutput(native: Open, proxied: Open): void {
  const raw = isFields(native.rawOutput)
    ? native.rawOutput
    : native.rawOutput === undefined
      ? {}
      : { output: native.rawOutput };
  const { output, ...rest } = raw;
  assertHas("the raw output", proxied.rawOutput ?? {}, rest);
  if (typeof output === "string" && output !== "")
    if (!(textIn(fieldsIn(proxied, "rawOutput"), "output") ?? "").startsWith(output))
      throw new Lost(`the raw output ${output} is not in ${JSON.stringify(proxied.rawOutput)}`);
  delete native.rawOutput;
  delete proxied.rawOutput;
}

/** All differences; whatever else is told is the same. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: "states of a call",
    level: (native, proxied) => {
      for (const [at, { statuses }] of native.calls.entries()) {
        const through = proxied.calls[at];
        if (!through || !isWithin(statuses, through.statuses))
          throw new Lost(`states ${statuses.join()} became ${through?.statuses.join()}`);
        through.statuses = statuses;
      }
    },
  },
  {
    name: "names of tools",
    level: (native, proxied) =>
      eachCall(native, proxied, (one, other) => {
        if (one.name !== undefined && one.name !== "exec_command") return;
        delete one.name;
        delete other.name;
      }),
  },
  {
    name: "locations",
    level: (native, proxied) =>
      eachCall(native, proxied, (one, other) => {
        assertHas("the locations", other.locations ?? [], one.locations ?? []);
        delete one.locations;
        delete other.locations;
      }),
  },
  { name: "raw output", level: (native, proxied) => eachCall(native, proxied, levelRawOutput) },
  {
    name: "diffs",
    level: (native, proxied) => {
      for (const told of [native, proxied]) {
        for (const call of told.calls) withLines(call);
        for (const { call } of told.permissions) withLines(call);
      }
    },
  },
  {
    name: "output of commands",
    level: (native, proxied) =>
      eachCall(native, proxied, (one, other) => {
        const [shown, through] = [listIn(one, "content"), listIn(other, "content")];
        if (one.kind === "execute" && shown.length > 0) one.content = shown.map(unfenced);
        const isText = through.every(({ type }) => type === "content");
        if (!isText || !(shown.length === 0 || shown.some(({ type }) => type === "terminal"))) return;
        delete one.content;
        delete other.content;
      }),
  },
  {
    name: "input of a permission's call",
    level: (native, proxied) => {
      for (const [at, { call }] of native.permissions.entries()) {
        const other: Open = proxied.permissions[at]?.call ?? {};
        assertHas("the call of a permission", other, Object.fromEntries(known(call)));
        for (const name of Object.keys(other)) if (call[name] === undefined) delete other[name];
        if (other.status !== undefined) other.status = call.status;
        for (const name of ["rawInput", "content"]) if (isEmpty(call[name])) delete call[name];
        for (const name of ["rawInput", "content"]) if (call[name] === undefined) delete other[name];
      }
    },
  },
  {
    name: "options of a permission",
    level: (native, proxied) => {
      for (const [at, permission] of native.permissions.entries()) {
        const other = proxied.permissions[at];
        const kinds = permission.options.map(({ kind }) => String(kind)).filter((kind) => kind.endsWith("once"));
        assertHas(
          "the options",
          (other?.options ?? []).map(({ kind }) => kind),
          kinds,
        );
        permission.options = [];
        if (other) other.options = [];
      }
    },
  },
  {
    name: "pictures and links in words",
    level: (native, proxied) => {
      native.words = native.words.replaceAll("(image)", "").replaceAll("(resource_link)", "");
      proxied.words = proxied.words.replaceAll(/\(image: [^)]*\)|\[[^\]]*\]\(file:[^)]*\)/g, "");
    },
  },
  {
    name: "titles",
    level: (native, proxied) => {
      if (!isWithin(native.titles, proxied.titles)) throw new Lost(`titles ${native.titles} became ${proxied.titles}`);
      native.titles = [];
      proxied.titles = [];
    },
  },
  {
    name: "commands",
    level: (native, proxied) => {
      // They are compared when both have told them: some agents tell them late, and again.
      native.commands = undefined;
      proxied.commands = undefined;
    },
  },
  {
    name: "modes and options",
    level: (native, proxied) => {
      if (!isWithin(native.modes, proxied.modes)) throw new Lost(`modes ${native.modes} became ${proxied.modes}`);
      assertHas("the config", valuesIn(proxied.config), native.config === undefined ? {} : valuesIn(native.config));
      for (const told of [native, proxied]) {
        told.modes = [];
        told.config = undefined;
      }
    },
  },
  {
    name: "usage",
    level: (native, proxied) => {
      for (const told of [native, proxied]) {
        const { cost, ...rest } = told.usage ?? {};
        const amount = isFields(cost) && Number(Number(cost.amount).toFixed(10));
        if (isFields(cost)) told.usage = amount === 0 ? rest : { ...rest, cost: { ...cost, amount } };
      }
    },
  },
  {
    name: "files and terminals",
    level: (native) => {
      native.others = native.others.filter((one) => !/^asked (?:fs|terminal)\//.test(one));
    },
  },
  {
    name: "extensions",
    level: (native) => {
      native.others = native.others.filter((one) => !/^(?:asked|told) _/.test(one));
    },
  },
];

function isEmpty(value: unknown): boolean {
  return value === undefined || (isFields(value) && Object.keys(value).length === 0);
}

/** What a permission's call tells beside what is compared elsewhere. */
function known(call: Fields): [string, unknown][] {
  return Object.entries(call).filter(([name, value]) => !["content", "status"].includes(name) && !isEmpty(value));
}

/** The chosen and the possible values of config options, by category. */
export function valuesIn(config: unknown): Fields {
  const options = Array.isArray(config) ? (config as Fields[]) : [];
  return Object.fromEntries(
    options.map((option) => {
      const flat = listIn(option, "options").flatMap((one) => {
        const grouped = listIn(one, "options");
        return grouped.length > 0 ? grouped : [one];
      });
      const id = ["mode", "model", "thought_level"].find((one) => one === option.category) ?? String(option.id);
      const values = flat.map(({ value, name, description }) => ({ value, name, description }));
      return [id, { current: option.currentValue, values }];
    }),
  );
}

/** Takes all differences from both sides. */
export function level(native: Told, proxied: Told): void {
  for (const difference of DIFFERENCES) difference.level(native, proxied);
}
