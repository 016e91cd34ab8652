import { createOpencodeClient as createV1, type OpencodeClient as V1 } from "@opencode-ai/sdk/client";
import { createOpencodeClient as createV2, type OpencodeClient as V2 } from "@opencode-ai/sdk/v2/client";

export type SdkV1 = V1;
export type SdkV2 = V2;

export interface SdkOptions {
  url: string;
  directory: string;
  token?: string;
}

function basic(token: string | undefined): Record<string, string> {
  if (token === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`opencode:${token}`).toString("base64")}` };
}

/** OpenCode's published client, in its first generation. Failed calls throw. */
export function sdkV1({ url, directory, token }: SdkOptions): SdkV1 {
  return createV1({ baseUrl: url, directory, headers: basic(token), throwOnError: true });
}

/** The same in its second generation. */
export function sdkV2({ url, directory, token }: SdkOptions): SdkV2 {
  return createV2({ baseUrl: url, directory, headers: basic(token), throwOnError: true });
}
