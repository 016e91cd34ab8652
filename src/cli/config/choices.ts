import type { Unattended } from "../../gateway/options.ts";
import type { SyncMode } from "../../log/contract.ts";

export const UNATTENDED = ["wait", "deny", "allow"] as const satisfies readonly Unattended[];
export const SYNC = ["process", "disk"] as const satisfies readonly SyncMode[];
