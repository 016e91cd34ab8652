import type { InitializeResponse } from "@agentclientprotocol/sdk/unstable";
import { AUTH_METHOD } from "../session/operations.ts";

/** The answer to `initialize`. It needs no server. */
export function initialized(version: string): InitializeResponse {
  return {
    protocolVersion: 1,
    agentInfo: { name: "parley", title: "Parley", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
    },
    authMethods: [AUTH_METHOD],
    _meta: { steering: { supported: true } },
  };
}
