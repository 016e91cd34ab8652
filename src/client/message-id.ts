const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 14;
const TIME_MASK = (1n << 48n) - 1n;

/** Time in 48 bits, as the server's own ids have it, so that ids from both sort together. */
function timePart(ms: number, counter: number): string {
  return ((BigInt(ms) * 0x1000n + BigInt(counter)) & TIME_MASK).toString(16).padStart(12, "0");
}

function randomPart(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  return Array.from(bytes, (byte) => BASE62[byte % 62]).join("");
}

/** Makes prompt ids that never repeat and sort in the order in which they were made, even when the clock steps back. */
export function messageIds(now: () => number): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const ms = Math.max(now(), lastMs);
    counter = ms === lastMs ? counter + 1 : 1;
    lastMs = ms;
    return `msg_${timePart(ms, counter)}${randomPart()}`;
  };
}
