// Aliases, not interfaces: these are the properties of events, too, which are read as plain records.

/** The tool call that an ask is about. */
export type AskedTool = { messageID: string; callID: string };

export type PermissionRequest = {
  id: string;
  sessionID: string;
  permission: string;
  patterns: string[];
  metadata: Record<string, unknown>;
  /** The patterns that `always` would allow for good. */
  always: string[];
  tool?: AskedTool;
};

export type QuestionInfo = {
  question: string;
  header: string;
  options: { label: string; description: string }[];
  multiple?: boolean;
  custom?: boolean;
};

export type QuestionRequest = {
  id: string;
  sessionID: string;
  questions: QuestionInfo[];
  tool?: AskedTool;
};
