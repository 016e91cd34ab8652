import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { TrustInfo } from "../../core/trust.ts";
import { loadConfig } from "../config/load.ts";
import { directoryOf } from "../context.ts";
import { CliError, usageError } from "../exit.ts";
import { safeLine } from "../output/safe-text.ts";
import { table } from "../output/table.ts";
import { tell } from "../tell.ts";
import { offlineTrust } from "./offline-trust.ts";
import { settingLines } from "./setting-lines.ts";

export interface TrustFlags {
  list?: boolean;
  remove?: boolean;
  json?: boolean;
}

/** Only the user's own configuration counts here: what a project's file says must not decide who is trusted, nor hinder it. */
async function load() {
  const home = homedir();
  const { settings, warnings } = await loadConfig({ flags: {}, env: process.env, home, directory: home });
  for (const warning of warnings) tell(`warning: ${warning}`);
  return offlineTrust(settings);
}

/** Settings that Parley itself uses there from now on. A mistake ends the commands in a trusted directory, so it is told now. */
async function ownFile(directory: string): Promise<string[]> {
  try {
    const { files } = await loadConfig({ flags: {}, env: process.env, home: homedir(), directory });
    const used = files.filter(({ trusted, keys }) => trusted === true && keys !== undefined && keys.length > 0);
    const lines = used.map(
      ({ path, keys = [] }) => `  ${safeLine(`${relative(directory, path)} (${keys.join(", ")})`)}`,
    );
    return lines.length === 0 ? [] : ["Parley uses of its project:", ...lines];
  } catch (thrown) {
    tell(`warning: commands in this directory will fail until this is put right: ${messageOf(thrown)}`);
    return [];
  }
}

function added(view: TrustInfo, already: boolean, own: readonly string[]): string {
  const { directory, by = directory, settings } = view;
  const where = by === directory ? "" : `, because it lies in ${by}`;
  const first = `${directory} is trusted${already ? ` already${where}` : ", with all that lies below it"}.`;
  const agents = settings.length === 0 ? [] : ["Agents use of its project:", ...settingLines(settings)];
  const brings = [...own, ...agents];
  const nothing = brings.length === 0 ? ["Its project brings nothing that needs it now."] : [];
  return `${[first, ...nothing, ...brings].join("\n")}\n`;
}

/** The text that the command prints. */
export async function trust(given: string | undefined, flags: TrustFlags): Promise<string> {
  const trusts = await load();
  const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
  if (flags.list) {
    if (given !== undefined) throw usageError("--list takes no directory; it lists all that are trusted");
    const trusted = trusts.list();
    if (flags.json) return json(trusted);
    if (trusted.length === 0) return "No directory is trusted. parley trust DIRECTORY trusts one.\n";
    return table(
      [{ name: "DIRECTORY", cut: "start" }, "FROM"],
      trusted.map(({ directory, source }) => [safeLine(directory, 500), source]),
    );
  }
  try {
    if (flags.remove) {
      const view = await trusts.remove(resolve(given ?? "."));
      return flags.json ? json(view) : `${view.directory} is not trusted any more.\n`;
    }
    const directory = directoryOf(given, "trust");
    const already = trusts.trusts(directory);
    const view = already ? await trusts.look(directory) : await trusts.add(directory);
    if (view.warning !== undefined) tell(`warning: ${view.warning}`);
    return flags.json ? json(view) : added(view, already, await ownFile(view.directory));
  } catch (thrown) {
    throw thrown instanceof Error && !(thrown instanceof CliError) ? new CliError(thrown.message) : thrown;
  }
}
