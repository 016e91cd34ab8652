/** A difference to native OpenCode that is meant. */
export interface Difference {
  fits: RegExp;
  /** The words of docs/opencode.md that tell it. */
  told: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    fits: /: keys of the session: agent cost directory id model path (permission )?projectID slug (status )?summary time title tokens version$/,
    told: "A session that is got has its status",
  },
  {
    fits: /: session\.idle comes [12] times$/,
    told: "An aborted or failed turn is over once, after its last event",
  },
  {
    fits: /: the user's message comes before busy: (true|false)$/,
    told: "A session is busy when its turn begins",
  },
  {
    fits: /: keys of step-(start: id messageID sessionID( snapshot)?|finish: cost id messageID reason sessionID( snapshot)? tokens) type$/,
    told: "Steps carry no snapshot",
  },
  {
    fits: /native only: metadata of tool |Parley only: metadata of tool (bash \w+: .*output|read completed: .*preview|edit completed: .*diff filediff|question completed: .*answers)/,
    told: "The metadata of a tool call is the agent's own",
  },
  {
    fits: / fails: (The user rejected permission to use this specific tool call\.|the user refused this)$/,
    told: "The words of a refusal are the agent's own, too",
  },
];
