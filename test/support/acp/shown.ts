import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGES = ["README.md", "docs/cli.md", "docs/acp.md"];

/** The pages that show how clients of the protocol start Parley. */
function pages(): string[] {
  const files = PAGES.map((page) => fileURLToPath(new URL(`../../../${page}`, import.meta.url)));
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
}

export interface ZedServer {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** Every server in the settings of Zed that a page shows. */
export function shownZedServers(): ZedServer[] {
  const blocks = pages().flatMap((text) => [...text.matchAll(/^ *```jsonc?\n([\s\S]*?)^ *```/gm)]);
  const settings = blocks.map(([, block = ""]) => block).filter((block) => block.includes("agent_servers"));
  return settings.flatMap((block) =>
    Object.values((JSON.parse(block) as { agent_servers: Record<string, ZedServer> }).agent_servers),
  );
}

/** Every line for acpx that a page shows as code (indented), without a comment. */
export function shownAcpxLines(): string[] {
  return pages().flatMap((text) =>
    [...text.matchAll(/^ {4,}(?:npx )?(acpx .*?)(?: +#.*)?$/gm)].map(([, line = ""]) => line),
  );
}
