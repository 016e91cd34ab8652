import { signal } from "@preact/signals";
import type { AgentInfo } from "../../src/client/index.ts";
import { api } from "./api.ts";

/** The agents of the server, once they were asked for. */
export const agents = signal<readonly AgentInfo[] | undefined>(undefined);

let reading: Promise<void> | undefined;

/** Asks for the agents; several at once share a request. */
export function loadAgents(): Promise<void> {
  reading ??= api
    .agents()
    .then((all) => {
      agents.value = all;
    })
    .finally(() => {
      reading = undefined;
    });
  return reading;
}
