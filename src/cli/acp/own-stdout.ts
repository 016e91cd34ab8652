type Written = (error?: Error | null) => void;

/** Writes to the real stdout. */
export type WriteOut = (text: string, written: Written) => void;

/** Keeps stdout for the protocol: whatever any other code prints goes to stderr from now on. */
export function takeStdout({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr"> = process): WriteOut {
  const write = stdout.write.bind(stdout) as (text: string, written: Written) => boolean;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return (text, written) => void write(text, written);
}
