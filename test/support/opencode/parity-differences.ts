/** A difference to native OpenCode that is meant. */
export interface Difference {
  fits: RegExp;
  /** The words of docs/opencode.md that tell it. */
  told: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    fits: /: session\.idle comes [12] times$/,
    told: "An aborted or failed turn is over once, after its last words",
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
    told: "What a tool tells about its work is the agent's own",
  },
  {
    fits: / fails: (The user rejected permission to use this specific tool call\.|the user refused this)$/,
    told: "So are the words of a refusal",
  },
  {
    fits: /: keys of tool bash error's state: error input (metadata )?status time$/,
    told: "also of one that failed",
  },
];
