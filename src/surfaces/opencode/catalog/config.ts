import { userInfo } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { present } from "../../../core/json/fields.ts";
import { unsupported } from "../errors.ts";
import type { Catalog } from "./catalog.ts";

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** The part of OpenCode's configuration that clients read. The agents' own configuration is not in it. */
export async function configOf(catalog: Catalog): Promise<Record<string, unknown>> {
  const { model, agent } = await catalog.defaults();
  return {
    $schema: "https://opencode.ai/config.json",
    command: {},
    plugin: [],
    share: "disabled",
    autoupdate: false,
    model,
    small_model: model,
    default_agent: agent,
    username: userName(),
    mode: {},
    agent: {},
    provider: {},
  };
}

export const configChange = z.looseObject({ model: z.string().optional(), default_agent: z.string().optional() });

/** Changes the default model and mode, until the server ends. Other settings may be sent with the value they have. */
export async function changeConfig(catalog: Catalog, change: z.output<typeof configChange>): Promise<void> {
  const { model, default_agent: agent, ...rest } = change;
  const before = await configOf(catalog);
  const others = Object.keys(rest).filter((key) => !isDeepStrictEqual(rest[key], before[key]));
  if (others.length > 0) {
    throw unsupported(
      `only model and default_agent can be changed here, not ${others.join(", ")}: Parley's own settings are in its configuration file, the agents' settings in theirs`,
    );
  }
  await catalog.setDefaults(present({ model, agent }));
}
