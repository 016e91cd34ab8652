/** A session in the form of OpenCode 1.18. */
export interface Session {
  id: string;
  slug: string;
  projectID: string;
  directory: string;
  path?: string;
  parentID?: string;
  summary?: { additions: number; deletions: number; files: number; diffs?: FileDiff[] };
  cost?: number;
  tokens?: Tokens;
  share?: { url: string };
  title: string;
  agent?: string;
  model?: { id: string; providerID: string; variant?: string };
  version: string;
  metadata?: Record<string, unknown>;
  time: { created: number; updated: number; compacting?: number; archived?: number };
  permission?: PermissionRule[];
  revert?: { messageID: string; partID?: string; snapshot?: string; diff?: string };
}

export interface Tokens {
  total?: number;
  input: number;
  output: number;
  reasoning: number;
  cache: { read: number; write: number };
}

export interface PermissionRule {
  permission: string;
  pattern: string;
  action: "allow" | "deny" | "ask";
}

export interface FileDiff {
  file?: string;
  patch?: string;
  additions: number;
  deletions: number;
  status?: "added" | "deleted" | "modified";
}

export type SessionStatus =
  | { type: "idle" }
  | { type: "busy" }
  | { type: "retry"; attempt: number; message: string; next: number };

export interface Todo {
  content: string;
  status: string;
  priority: string;
}
