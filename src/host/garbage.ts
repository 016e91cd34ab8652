type Collect = (how: { type: "minor" | "major"; execution: "async" | "sync" }) => Promise<void> | undefined;

let collect: Collect | undefined;

/** V8 has no other door to it: the flag is set late, and a fresh context then has the function. */
function collector(): Collect {
  process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
  collect ??= process.getBuiltinModule("node:vm").runInNewContext("gc") as Collect;
  return collect;
}

/** Everything, in the background as far as V8 can. */
export function collectAll(): void {
  void collector()({ type: "major", execution: "async" });
}

/** Collects buffers that were read a moment ago; takes a millisecond or two. */
export function collectYoung(): void {
  void collector()({ type: "minor", execution: "sync" });
}
