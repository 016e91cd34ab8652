interface How {
  type: "minor" | "major";
  execution: "async" | "sync";
  flavor?: "regular" | "last-resort";
}

type Collect = (how: How) => Promise<void> | undefined;

/** Up to this heap a thorough collection is over within some tens of milliseconds. */
const SMALL_BYTES = 48 * 1024 * 1024;

let collect: Collect | undefined;

/** V8 has no other door to it: the flag is set late, and a fresh context then has the function. */
function collector(): Collect {
  process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
  collect ??= process.getBuiltinModule("node:vm").runInNewContext("gc") as Collect;
  return collect;
}

/** Everything, in the background as far as V8 can. A small heap is looked through twice, and what only caches hold goes, too. */
export function collectAll(): void {
  const small = process.memoryUsage().heapUsed < SMALL_BYTES;
  void collector()({ type: "major", execution: "async", flavor: small ? "last-resort" : "regular" });
}

/** Collects buffers that were read a moment ago; takes a millisecond or two. */
export function collectYoung(): void {
  void collector()({ type: "minor", execution: "sync" });
}
