import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { listProcesses, markOf } from "../../../src/host/process-scan.ts";
import { alreadyInstalled } from "../../agents/opencode/offline.ts";
import type { Environment } from "../../support/agent-stage.ts";

/** Nobody listens there. */
const NOBODY = "http://127.0.0.1:9/v1";

/** Settings of the user's own: a provider with a model of which nothing is known, and one of which all is. */
export const CONFIG = {
  share: "disabled",
  autoupdate: false,
  provider: {
    fake: {
      npm: "@ai-sdk/openai-compatible",
      name: "Fake",
      options: { baseURL: NOBODY, apiKey: "not-a-real-key" },
      models: {
        bare: { name: "Bare" },
        whole: {
          name: "Whole",
          tool_call: true,
          reasoning: true,
          attachment: true,
          cost: { input: 1, output: 2, cache_read: 0.1, cache_write: 0.2 },
          limit: { context: 100_000, input: 90_000, output: 8_000 },
          modalities: { input: ["text", "image"], output: ["text"] },
          status: "beta",
        },
      },
    },
  },
};

export interface Place {
  root: string;
  home: string;
  env: Environment;
}

export function write(root: string, files: Record<string, string | object>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** A home with settings, in which the real program reaches nobody. */
export function makePlace(t: TestContext, program: string, config: object = CONFIG): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-opencode-")));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  const home = join(root, "home");
  write(home, { ".config/opencode/opencode.json": config });
  write(join(home, ".config/opencode"), alreadyInstalled());
  const env: Environment = {
    PARLEY_OPENCODE_BIN: program,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_CONFIG: undefined,
    OPENCODE_CONFIG_CONTENT: undefined,
    OPENCODE_SERVER_PASSWORD: undefined,
    OPENCODE_SERVER_USERNAME: undefined,
  };
  return { root, home, env };
}

/** A repository with files. */
export function makeProject(place: Place, name: string, files: Record<string, string | object> = {}): string {
  const directory = join(place.root, name);
  write(directory, { "README.md": "# Demo\n", ...files });
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
  return directory;
}

/** The servers that carry the mark of an instance. A copy that a server makes of itself to start another program is none. */
export function serversOf(instance: string): number[] {
  const found = listProcesses()
    .filter(({ pid, zombie }) => !zombie && (markOf(pid) ?? "").startsWith(`${instance}:`))
    .filter(({ pid }) => commandOf(pid).includes("\0serve\0"));
  return found.filter(({ parent }) => !found.some(({ pid }) => pid === parent)).map(({ pid }) => pid);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
