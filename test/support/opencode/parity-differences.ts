/** A difference to native OpenCode that is meant, as docs/opencode.md tells it. */
export interface Difference {
  fits: RegExp;
  why: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    fits: /: session\.idle comes [12] times$/,
    why: "an aborted or failed turn is over once, after its last words; native says so twice, the first time too early",
  },
  {
    fits: /: the user's message comes before busy: (true|false)$/,
    why: "a session is busy when its turn begins; native says so a moment after the user's message",
  },
  {
    fits: /: keys of step-(start: id messageID sessionID( snapshot)?|finish: cost id messageID reason sessionID( snapshot)? tokens) type$/,
    why: "steps carry no snapshot: Parley takes none of the directory",
  },
  {
    fits: /native only: metadata of tool |Parley only: metadata of tool (bash \w+: .*output|read completed: .*preview|edit completed: .*diff filediff|question completed: .*answers)/,
    why: "what a tool tells about its work is the agent's own; what clients show of it is there",
  },
  {
    fits: / fails: (The user rejected permission to use this specific tool call\.|the user refused this)$/,
    why: "the words of a refusal are the agent's own",
  },
  {
    fits: /: keys of tool bash error's state: error input (metadata )?status time$/,
    why: "a tool that fails may have told something about its work before",
  },
];
