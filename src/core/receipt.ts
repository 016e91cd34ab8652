import type { EndReason, Failure, Usage } from "./events/values.ts";

/** A prompt is stored: the same receipt for each repeat of it. */
export interface Receipt {
  prompt: string;
  /** `kept`: it begins no turn, and goes to the agent with the next prompt that does. */
  status: "started" | "queued" | "steered" | "kept";
  turn?: string;
  position?: number;
  /** The number of the event that made it durable. */
  seq: number;
}

/** How a prompt's turn ended. */
export interface Outcome {
  receipt: Receipt;
  turn?: string;
  reason: EndReason | "withdrawn";
  /** The last message of the agent. */
  text: string;
  usage?: Usage;
  error?: Failure;
  /** Milliseconds since the turn began. */
  duration?: number;
}
