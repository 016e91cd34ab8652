import type { Agent, McpServer } from "../../agents/contract.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { PermissionRule } from "../../core/events/values.ts";
import type { Inbox } from "../session/inbox.ts";
import type { Kin } from "../session/kin.ts";

/** The session that an agent serves, as its link knows it. */
export interface LinkOptions {
  agent: Agent;
  session: string;
  directory: string;
  /** Whether the user trusts the directory now. */
  trusted(): boolean;
  /** The MCP servers that the client gave with the session, and whether there are any. */
  mcpServers(): Promise<readonly McpServer[]>;
  hasServers(): boolean;
  history(): Promise<ParleyEvent[]>;
  /** Whether the session has had a turn. */
  hasPast(): boolean;
  rules(): readonly PermissionRule[];
  /** The session's inbox takes the agent's signals; those about sub-agents go to the inboxes of their own sessions. */
  inbox: Inbox;
  kin: Kin;
}
