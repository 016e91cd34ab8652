/** How a request for a summary begins. */
export const SUMMARISE = "Summarise the conversation below for a colleague who takes over the work.";

export const HOW = `${SUMMARISE}
Say, in this order and as briefly as completeness allows:
- what the user wants, in the user's own words where they matter, and what the user has ruled out
- what was done: files that were read, changed or made, with their paths; commands and what came of them
- what was learned and decided, and why
- what is still open, and the very next step
Leave out courtesies and what is of no use any more. Do not answer the user, do not go on with the work, call no tool.`;

/** The role that the model is given. */
export const INSTRUCTIONS =
  "You write notes on conversations between a user and a coding agent, so that the agent can go on from them alone.";
