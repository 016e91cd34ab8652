import { OutputLimit } from "./output-limit.ts";
import { type Ran, type RunOptions, runToEnd } from "./run-to-end.ts";

const STREAMED_CHARS = 256_000;
const MAX_CHARS = 16_000_000;

export interface Shortened extends Ran {
  /** The beginning and the end of what it wrote. */
  text: string;
}

/** Runs a command whose output is read by somebody with little room, such as a model. */
export async function runShortened({
  output,
  ...rest
}: Omit<RunOptions, "maxChars" | "output"> & Partial<Pick<RunOptions, "output">>): Promise<Shortened> {
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
