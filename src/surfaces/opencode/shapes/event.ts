/** An event as OpenCode's clients read it; `properties` are as the type says. */
export interface OpencodeEvent {
  id: string;
  type: string;
  properties: Record<string, unknown>;
}
