/**
 * Writes to stdout, and waits while its reader is slow. Not by events.once(): its listener for errors would hide that the
 * reader has gone, which main() sees to.
 */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
