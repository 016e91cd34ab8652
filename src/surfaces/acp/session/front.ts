import type { AnyMessage } from "@agentclientprotocol/sdk";
import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import type { Fields } from "../../../core/json/fields.ts";
import type { Call, Update } from "../translate/updates.ts";
import type { AttachedSession } from "./attached.ts";

/** A permission as a client is asked for it. */
export interface PermissionView {
  title: string;
  description?: string;
  options: PermissionOption[];
  /** The call that it is about, or the ask itself in its place. */
  id: string;
  call: Partial<Call>;
}

/** A form of questions, as both versions of the protocol have it. */
export interface FormView {
  message: string;
  call?: string;
  schema: { type: "object"; properties: Record<string, object>; required?: string[] };
}

/**
 * Writes a message ahead of the SDK's own queue, which a stream can do while nothing is on its way. For a piece alone: nothing
 * else of its session is under way then, and a message of another that waits may come after it.
 */
export type SendNow = (message: AnyMessage) => boolean;

/** The side of a version of the protocol: it shows a session to its client. */
export interface Front {
  /** `own`: the prompt that it is about came from this client. */
  update(session: AttachedSession, update: Update, own: boolean): Promise<void>;
  /** Writes an update of a piece at once. False: it cannot be done now, and `update` takes it. */
  piece?(session: AttachedSession, update: Update): boolean;
  /** The id of the chosen option; undefined when the person chose none. */
  permission(session: AttachedSession, view: PermissionView, signal: AbortSignal): Promise<string | undefined>;
  /** The values of a form; undefined when the person gave none. */
  form?: (session: AttachedSession, view: FormView, signal: AbortSignal) => Promise<Fields | undefined>;
}
