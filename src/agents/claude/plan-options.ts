export const APPROVE = "Approve";
export const APPROVE_EDITS = "Approve and accept edits";
export const KEEP_PLANNING = "Keep planning";

/** The answers to a plan. Any other text is what the model is told to change. */
export const PLAN_OPTIONS = [
  { label: APPROVE, description: "carry it out, asking before each change" },
  { label: APPROVE_EDITS, description: "carry it out, changing files without asking" },
  { label: KEEP_PLANNING, description: "change nothing yet" },
] as const;
