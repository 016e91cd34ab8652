import { type ProjectSetting, shownSettings, trustCommand } from "../../../core/trust.ts";
import { SpawnFailed } from "../../../host/contract.ts";

const FOLDER = /(?:^|\/)\.opencode\/plugins?$/;
const CONFIG = /(?:^|\/)opencode\.jsonc?$/;
/** References are repositories that it would fetch. */
const PLUGIN = /^(?:plugin|reference)s?(?:\.|$)/;

/** The settings of a project that bring plugins, or may: a configuration that cannot be read is taken for one. */
export function pluginSettings(settings: readonly ProjectSetting[]): ProjectSetting[] {
  return settings.flatMap((setting) => {
    const { path, keys } = setting;
    if (FOLDER.test(path)) return [setting];
    if (!CONFIG.test(path)) return [];
    if (keys === undefined) return [setting];
    const plugins = keys.filter((key) => PLUGIN.test(key));
    return plugins.length === 0 ? [] : [{ path, keys: plugins }];
  });
}

/** OpenCode 1.18 runs the plugins of a project with its first turn there, and no setting keeps it from that: it is not started in such a directory unless that is trusted. */
export function assertNoPlugins(directory: string, settings: readonly ProjectSetting[]): void {
  const plugins = pluginSettings(settings);
  if (plugins.length === 0) return;
  throw new SpawnFailed(
    `it would run plugins of a directory that is not trusted: ${shownSettings(plugins)}. Look at them, then run "${trustCommand(directory)}", or use another agent`,
    { argv: ["opencode", "serve"], directory },
  );
}
