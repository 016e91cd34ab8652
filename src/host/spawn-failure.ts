import { statSync } from "node:fs";
import { codeOf, messageOf } from "../core/errors.ts";
import { SpawnFailed, type SpawnSpec } from "./contract.ts";

function directoryFault(directory: string): string | undefined {
  try {
    return statSync(directory).isDirectory() ? undefined : "is not a directory";
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "does not exist" : `cannot be used: ${messageOf(error)}`;
  }
}

/** The system says ENOENT for a missing program and for a missing directory alike; this says which it was. */
export function spawnFailure(spec: SpawnSpec, error: unknown): SpawnFailed {
  const fault = directoryFault(spec.directory);
  if (fault) return new SpawnFailed(`the directory ${spec.directory} ${fault}`, spec);
  const [program] = spec.argv;
  switch (codeOf(error)) {
    case "ENOENT":
      return new SpawnFailed(`no program ${program} was found; install it or correct its path`, spec);
    case "EACCES":
      return new SpawnFailed(`${program} may not be executed; check its permissions and those of its directory`, spec);
    default:
      return new SpawnFailed(messageOf(error), spec);
  }
}
