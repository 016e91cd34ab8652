import type { CommandHost, SpawnSpec } from "../../../host/contract.ts";
import { type Ran as Ended, runToEnd } from "../../../host/run-to-end.ts";
import { OutputLimit } from "./output-limit.ts";

const STREAMED_CHARS = 256_000;
const MAX_CHARS = 16_000_000;

export interface RunOptions {
  host: CommandHost;
  spec: SpawnSpec;
  signal: AbortSignal;
  limitMs: number;
  output?(delta: string): void;
}

export interface Ran extends Ended {
  text: string;
}

/** Runs a command for a tool; of what it wrote, the model sees the beginning and the end. */
export async function runForModel({ output, ...rest }: RunOptions): Promise<Ran> {
  const kept = new OutputLimit();
  const ended = await runToEnd({
    ...rest,
    maxChars: MAX_CHARS,
    output(text) {
      if (kept.length < STREAMED_CHARS) output?.(text);
      kept.add(text);
    },
  });
  return { text: kept.text(), ...ended };
}
