import { homedir } from "node:os";
import { messageOf } from "../../core/errors.ts";
import { readLock } from "../../host/data-lock.ts";
import { agentsOf, offlineAgents } from "../access/offline-agents.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { defaultDataDir, trustFile, userConfigFile } from "../config/paths.ts";
import { defaultSettings, type Layer, mergeSettings, type Settings } from "../config/settings.ts";
import { hideSecrets } from "../context.ts";
import { findWith } from "../credentials/find-with.ts";
import { offlineTrust } from "../trust/offline-trust.ts";
import { packageVersion } from "../version.ts";
import { checkAgents, checkKnown } from "./agents.ts";
import { type Check, type Level, worst } from "./check.ts";
import { checkCredentials } from "./credentials.ts";
import { checkDatabase } from "./database/check.ts";
import { checkDataDir, checkDisk, checkNode, checkPlatform } from "./machine.ts";
import { checkProject } from "./project.ts";
import { checkIndex, checkLog, checkPort, checkServer, checkStrays } from "./state.ts";

export interface Report {
  version: string;
  verdict: Level;
  checks: Check[];
}

function configChecks({ files, warnings }: LoadedConfig, userFile: string): Check[] {
  const shown = files.map(({ path, level, trusted }) => `${path} (${trusted ? "trusted " : ""}${level})`);
  const detail = shown.length > 0 ? shown.join(", ") : `none (${userFile} would be the user's)`;
  return [
    { name: "config", level: "ok", detail, facts: { files } },
    ...warnings.map((warning): Check => ({ name: "config", level: "warn", detail: warning })),
  ];
}

/** A broken configuration is one finding among others: the rest is looked at with the defaults. */
async function load(flags: Layer): Promise<{ loaded: LoadedConfig; checks: Check[] }> {
  const home = homedir();
  try {
    const loaded = await loadConfig({ flags, env: process.env, home, directory: process.cwd() });
    hideSecrets(loaded.settings);
    return { loaded, checks: configChecks(loaded, userConfigFile(process.env, home)) };
  } catch (thrown) {
    const trust = { file: trustFile(process.env, home), configured: [] };
    const settings = { ...mergeSettings(defaultSettings(defaultDataDir(process.env, home)), [flags]), trust };
    hideSecrets(settings);
    const checks: Check[] = [{ name: "config", level: "bad", detail: messageOf(thrown) }];
    return { loaded: { settings, portChosen: false, files: [], warnings: [] }, checks };
  }
}

/** A log in the data directory that is not used, because a database is configured. */
function checkStorage(log: Check, { databaseUrl, dataDir }: Settings): Check[] {
  if (databaseUrl === undefined) return [log];
  if (log.facts === undefined && log.level === "ok") return [];
  const detail = `${dataDir} has sessions in a file, which nobody sees while a database is configured`;
  const advice = "bring them over with parley export and parley import, without and with PARLEY_DATABASE";
  return [{ name: "log", level: "warn", detail, advice }];
}

export async function examine(flags: Layer): Promise<Report> {
  const { loaded, checks: config } = await load(flags);
  const { settings } = loaded;
  const { dataDir, host, port } = settings;
  const owner = readLock(dataDir);
  const agents = await offlineAgents(settings);
  const defaultAgent = settings.defaultAgent ?? agents.find((agent) => agent.default)?.name ?? "";
  const checks = [
    checkNode(),
    checkPlatform(),
    ...config,
    await checkProject(offlineTrust(settings), process.cwd()),
    checkDataDir(dataDir),
    checkDisk(dataDir),
    ...checkStorage(checkLog(dataDir), settings),
    ...(settings.databaseUrl === undefined ? checkIndex(dataDir) : []),
    ...(await checkDatabase(settings)),
    await checkServer(owner, settings),
    await checkPort(host, port, owner),
    checkStrays(dataDir, owner),
    ...checkCredentials(findWith(settings)),
    ...checkAgents(agents, defaultAgent),
    checkKnown(agentsOf(settings)),
  ];
  return { version: packageVersion(), verdict: worst(checks), checks };
}
