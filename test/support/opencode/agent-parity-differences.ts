/** A difference between native OpenCode and OpenCode behind Parley that is meant. */
export interface AgentDifference {
  fits: RegExp;
  /** The words of docs/agents/opencode.md that tell it. */
  told: string;
}

export const AGENT_DIFFERENCES: readonly AgentDifference[] = [
  {
    fits: /\.(?:providerID|modelID|model\.id) = "(?:fake|fake-model|opencode|fake\/fake-model)"$|\.model\.variant = "default"$/,
    told: "The provider is the agent",
  },
  { fits: /\.callID = "(?:call|prt)"$/, told: "A call is named by the id of its part" },
  { fits: /\.(?:snapshot|hash) = /, told: "differences of every agent" },
  { fits: /\.session\.status\./, told: "differences of every agent" },
  {
    fits: /\.asks\[\d+\](?:\.patterns|\.always|\.metadata\.(?:title|tool|description|filePath|content|prompt|subagent_type)\b|\.questions\[\d+\]\.custom)/,
    told: "An ask has the session's own patterns",
  },
  {
    fits: /\.diffs(?:\[\d+\]\.\w+)? = |\.session\.summary\.|\.info\.summary\.diffs\[\d+\]\.patch = |\.child\.summary\./,
    told: "The changes of a session are counted",
  },
  { fits: /metadata\.(?:diff|filediff\.\w+) = /, told: "A file that was written has a diff" },
  {
    fits: /native only: \.eventTypes|Parley only: \.eventTypes/,
    told: "Events about the program itself",
  },
  { fits: /\.parts\[0\]\.text = "(?:Say hello to |\/hello )/, told: "A command of the user is shown as it was typed" },
  { fits: /\.error\.data\.(?:metadata|response(?:Body|Headers))\b/, told: "An error has no body and no headers" },
  { fits: /\.tool = "(?:invalid|nosuch)"$/, told: "A call of a tool that is not there has its name" },
  { fits: /\.child\.permission/, told: "A sub-agent's rules are not told" },
  { fits: /Parley only: \.messages\[2\]\.parts\[1\]\./, told: "asks for a summary in words, too" },
];
