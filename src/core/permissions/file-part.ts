import { HOLE } from "./glob.ts";
import { absolutePath, knownEnd, ruledPath } from "./paths.ts";

/** A file that the shell itself opens. */
export interface FilePart {
  kind: "write" | "read";
  /** From the session's directory, and from the root. */
  paths: [string, string];
}

const ANY: FilePart["paths"] = [HOLE, HOLE];
/** Names of files that a process has open, and of directories that it is in: each may lead to any file. */
const PROCESS_PLACE = /^\/(?:proc|dev\/fd)\/|^\/dev\/std(?:in|out|err)$/;
/** The same, if the shell was moved there. */
const PROCESS_FILE = /^(?:(?:.*\/)?fd\/)?\d+$|^(?:dev\/)?std(?:in|out|err)$/;

/** A path of an unknown beginning may be any that ends in the same way. */
function endingIn(path: string): FilePart["paths"] {
  const end = knownEnd(path);
  return PROCESS_FILE.test(end) ? ANY : [`${HOLE}${end}`, `${HOLE}${end}`];
}

/** A file that is opened. `moved`: the shell may be in another directory than the session's. */
export function filePart(
  kind: FilePart["kind"],
  path: string,
  { directory, moved }: { directory: string; moved: boolean },
): FilePart {
  if (path.includes(HOLE) || (moved && !path.startsWith("/"))) return { kind, paths: endingIn(path) };
  const whole = absolutePath(directory, path);
  return { kind, paths: PROCESS_PLACE.test(whole) ? ANY : [ruledPath(directory, path), whole] };
}

/** A stream that is written like a file. If the line has made a file that it reads that stream, the file is written. */
export function isStream(path: string): boolean {
  return path === "/dev/stdout" || path === "/dev/stderr";
}
