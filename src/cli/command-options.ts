import { type Command, InvalidArgumentError, Option } from "commander";
import type { Kind } from "./config/kinds.ts";
import { type Layer, layerFrom } from "./config/settings.ts";
import { SETTINGS, type Setting, type Table } from "./config/table.ts";
import { usageError } from "./exit.ts";

/** An option whose value is checked as the same setting is in the environment. */
export function valueOption<T>(flags: string, description: string, kind: Kind<T>): Option {
  const option = new Option(flags, description);
  if (option.negate) return option;
  if (kind.values) return option.choices(kind.values);
  return option.argParser<unknown>((value, before) => {
    if (kind.repeatable) return [...(Array.isArray(before) ? before : []), value];
    const parsed = kind.parse(value);
    if (parsed !== undefined) return parsed;
    // Commander's own error would repeat the value.
    if (kind.secret) throw usageError(`option '${flags}': expected ${kind.expected}`);
    throw new InvalidArgumentError(`Expected ${kind.expected}.`);
  });
}

function helpOf({ means, help = means, kind, default: text, otherwise }: Setting): string {
  if (help !== means) return help;
  const shown = otherwise === undefined ? text && ` (default ${text})` : ` (default: ${otherwise})`;
  return `${means}${kind.repeatable ? "; repeatable" : ""}${shown ?? ""}`;
}

type WithFlag = Setting & { flag: string };

function settingOption(setting: WithFlag): Option {
  return valueOption(setting.flag, helpOf(setting), setting.kind);
}

/** Adds the flag of each setting that has one. Two flags for the same property exclude each other. */
export function addSettingOptions(command: Command, table: Table = SETTINGS): void {
  const settings = Object.values(table).filter((setting): setting is WithFlag => setting.flag !== undefined);
  for (const setting of settings) {
    const { sets, group = "Options:" } = setting;
    const rivals = settings.filter((other) => sets !== undefined && other.sets === sets && other !== setting);
    const conflicts = rivals.map(({ flag }) => new Option(flag).attributeName());
    command.addOption(settingOption(setting).conflicts(conflicts).helpGroup(group));
  }
}

/** The settings in the flags that were given. */
export function flagLayer(command: Command, table: Table = SETTINGS): Layer {
  return layerFrom(table, ({ flag }) => {
    const name = flag === undefined ? "" : new Option(flag).attributeName();
    return command.getOptionValueSource(name) === "cli" ? command.getOptionValue(name) : undefined;
  });
}

/** The token of the server that a command starts or finds. */
export function tokenOptions(): Option[] {
  const [token, file] = [settingOption(SETTINGS.token), settingOption(SETTINGS.tokenFile)];
  return [token.conflicts("tokenFile"), file].map((option) => option.helpGroup("Server:"));
}

export function dataDirOption(): Option {
  return settingOption(SETTINGS.dataDir).helpGroup("Server:");
}

export function jsonOption(description = "as JSON, for programs"): Option {
  return new Option("--json", description);
}
