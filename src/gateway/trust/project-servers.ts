import { z } from "zod";
import type { ProjectSetting } from "../../core/trust.ts";
import { parseJsonc, smallFileInside } from "../../host/files/jsonc-file.ts";
import { CONFIGS } from "../commands/project-commands.ts";

const config = z.object({
  mcp: z.record(
    z.string(),
    z
      .union([z.object({ command: z.array(z.string()) }), z.object({ url: z.string() })])
      .nullish()
      .catch(undefined),
  ),
});

/** The MCP servers that a project's `opencode.json` names. They are begun or called only where the project is trusted. */
export async function serversThatRun(directory: string): Promise<ProjectSetting[]> {
  const found: ProjectSetting[] = [];
  for (const path of CONFIGS) {
    const text = await smallFileInside(directory, path);
    const { data } = config.safeParse(text === undefined ? undefined : (await parseJsonc(text)).value);
    const keys = Object.entries(data?.mcp ?? {}).flatMap(([name, server]) =>
      server ? [`mcp.${name}: ${"url" in server ? server.url : server.command.join(" ")}`] : [],
    );
    if (keys.length > 0) found.push({ path, keys });
  }
  return found;
}
