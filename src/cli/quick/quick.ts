import type { AcpFlags } from "../acp/acp.ts";
import { layerFrom, settingsIn } from "../config/settings.ts";
import { SETTINGS } from "../config/table.ts";
import type { ServeOptions } from "../serve/serve.ts";
import { attributeOf, type QuickFlag, readFlags } from "./flags.ts";

type Values = ReadonlyMap<string, unknown>;

const own = { insecureNoAuth: "--insecure-no-auth", dir: "--dir <directory>", json: "--json" };

const settings = settingsIn(SETTINGS).flatMap(({ property, setting: { flag, kind } }) =>
  flag === undefined ? [] : [{ flag, kind, property, attribute: attributeOf(flag) }],
);

const SERVE: readonly QuickFlag[] = [...settings, ...Object.values(own).map((flag) => ({ flag }))];

const { token, tokenFile, dataDir } = SETTINGS;
const ACP: readonly QuickFlag[] = [{ flag: "--agent <name>" }, token, tokenFile, dataDir];

/** Whether two flags say the same thing, or one says that there is none: commander refuses that. */
function isConflict(values: Values): boolean {
  const given = settings.filter(({ attribute }) => values.has(attribute)).map(({ property }) => property);
  return new Set(given).size < given.length || (values.has("insecureNoAuth") && given.includes("credential"));
}

/** The options of `parley serve`; undefined where commander must read the line. */
export function serveOptions(argv: readonly string[]): ServeOptions | undefined {
  const values = readFlags(argv, SERVE);
  if (!values || isConflict(values)) return undefined;
  const flags = layerFrom(SETTINGS, ({ flag }) => (flag === undefined ? undefined : values.get(attributeOf(flag))));
  const options = Object.fromEntries(
    Object.keys(own).flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])),
  );
  return { ...options, flags };
}

/** The flags of `parley acp`; undefined where commander must read the line. */
export function acpFlags(argv: readonly string[]): AcpFlags | undefined {
  const values = readFlags(argv, ACP);
  return values && !isConflict(values) ? Object.fromEntries(values) : undefined;
}

/** Runs a command whose start is waited for without commander and the flags of all other commands. Undefined where commander must. */
export async function runQuickly([name, ...argv]: readonly string[]): Promise<number | undefined> {
  if (name === "serve") {
    const options = serveOptions(argv);
    return options && (await import("../serve/serve.ts")).serve(options);
  }
  const flags = acpFlags(argv);
  return flags && (await import("../acp/acp.ts")).acp(flags);
}
