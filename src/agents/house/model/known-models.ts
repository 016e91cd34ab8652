import type { ModelFacts } from "./efforts.ts";

export type KnownModel = ModelFacts & { name: string };

const CLAUDE_5_5 = { reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] } as const;
const CLAUDE_4_5 = { context: 200_000, output: 64_000, reasoning: true, images: true };
const GPT_5 = {
  context: 400_000,
  output: 128_000,
  reasoning: true,
  efforts: ["minimal", "low", "medium", "high"],
  images: true,
  released: "2025-08-07",
} as const;

// The first of each list is the one that is used unless another is chosen. Prices only where the company's own list was
// read (Anthropic's, in November 2026): a cost that is not known is left out. Configuration can add models and facts.
export const ANTHROPIC: readonly KnownModel[] = [
  { ...CLAUDE_5_5, id: "claude-sonnet-5-5", name: "Claude Sonnet 5.5" },
  { ...CLAUDE_5_5, id: "claude-opus-5-5", name: "Claude Opus 5.5" },
  {
    ...CLAUDE_4_5,
    id: "claude-sonnet-4-5",
    name: "Claude Sonnet 4.5",
    released: "2025-09-29",
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  },
  {
    ...CLAUDE_4_5,
    id: "claude-haiku-4-5",
    name: "Claude Haiku 4.5",
    released: "2025-10-15",
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  },
  {
    ...CLAUDE_4_5,
    id: "claude-opus-4-5",
    name: "Claude Opus 4.5",
    released: "2025-11-24",
    price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  },
];

export const OPENAI: readonly KnownModel[] = [
  { reasoning: true, id: "gpt-5.6", name: "GPT-5.6" },
  { reasoning: true, id: "gpt-5.4-mini", name: "GPT-5.4 mini" },
  { ...GPT_5, id: "gpt-5", name: "GPT-5" },
  { ...GPT_5, id: "gpt-5-mini", name: "GPT-5 mini" },
];
