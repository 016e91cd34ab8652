import { type Fields, fieldsIn, textIn } from "../../core/json/fields.ts";
import type { AgentMode } from "../contract.ts";

/** A mode of the program's own: as its configuration says. */
export const OWN_MODE = "default";
export const PLAN_MODE = "plan";

/** When the program asks, and where its commands may write. */
export interface Policy {
  /** The program's words: untrusted, on-request, never, or an object. */
  approval: unknown;
  /** The program's words for the sandbox, with its facts. */
  sandbox: Fields;
}

interface Preset {
  mode: AgentMode;
  approval: "untrusted" | "on-request" | "never";
  sandbox: "readOnly" | "workspaceWrite" | "dangerFullAccess";
}

const PRESETS: readonly Preset[] = [
  {
    mode: { id: "ask", name: "Ask", description: "asks before each command and each change of a file" },
    approval: "untrusted",
    sandbox: "workspaceWrite",
  },
  {
    mode: { id: "auto", name: "Auto", description: "works in the directory without asking, asks before it leaves it" },
    approval: "on-request",
    sandbox: "workspaceWrite",
  },
  {
    mode: { id: "read-only", name: "Read only", description: "looks without asking, asks before it changes anything" },
    approval: "on-request",
    sandbox: "readOnly",
  },
  {
    mode: { id: PLAN_MODE, name: "Plan", description: "looks, asks questions and plans; changes nothing" },
    approval: "on-request",
    sandbox: "readOnly",
  },
  {
    mode: { id: "full-access", name: "Full access", description: "asks for nothing, and has no sandbox" },
    approval: "never",
    sandbox: "dangerFullAccess",
  },
];

export const MODES: AgentMode[] = [
  { id: OWN_MODE, name: "Default", description: "as Codex is configured (approval_policy and sandbox_mode)" },
  ...PRESETS.map(({ mode }) => mode),
];

/** The settings of the sandbox in the user's configuration: further directories to write to, and the network. */
function workspace(config: Fields): Fields {
  const own = fieldsIn(config, "sandbox_workspace_write");
  const { writable_roots: roots } = own;
  return {
    type: "workspaceWrite",
    writableRoots: Array.isArray(roots) ? roots : [],
    networkAccess: own.network_access === true,
    excludeTmpdirEnvVar: own.exclude_tmpdir_env_var === true,
    excludeSlashTmp: own.exclude_slash_tmp === true,
  };
}

function sandboxOf(name: Preset["sandbox"], config: Fields): Fields {
  if (name === "workspaceWrite") return workspace(config);
  return name === "readOnly" ? { type: name, networkAccess: false } : { type: name };
}

const SANDBOXES: Readonly<Record<string, Preset["sandbox"]>> = {
  "read-only": "readOnly",
  "workspace-write": "workspaceWrite",
  "danger-full-access": "dangerFullAccess",
};

/** The policy of the configuration. Where that says nothing, the program asks for all in a directory that is not trusted. */
function ownPolicy(config: Fields, trusted: boolean): Policy {
  const named = SANDBOXES[textIn(config, "sandbox_mode") ?? ""] ?? "workspaceWrite";
  const approval = config.approval_policy ?? (trusted ? "on-request" : "untrusted");
  return { approval, sandbox: sandboxOf(named, config) };
}

/** The policy of a mode; undefined for a mode that there is none of. */
export function policyOf(mode: string, config: Fields, trusted: boolean): Policy | undefined {
  if (mode === OWN_MODE) return ownPolicy(config, trusted);
  const preset = PRESETS.find((one) => one.mode.id === mode);
  return preset && { approval: preset.approval, sandbox: sandboxOf(preset.sandbox, config) };
}
