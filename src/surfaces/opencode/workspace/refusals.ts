import { stat } from "node:fs/promises";
import { codeOf } from "../../../core/errors.ts";
import { FileRefused } from "../../../host/files/file-refused.ts";
import { badRequest, named, notFound, type OpencodeError } from "../errors.ts";

/** The fault of a path, by the code of the system. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOTDIR", "is not a directory"],
  ...["ENXIO", "ENODEV"].map((code) => [code, "is not a file"] as const),
  ...["ELOOP", "ENAMETOOLONG"].map((code) => [code, `cannot be a file: ${code}`] as const),
  ...["EAGAIN", "EINVAL", "EIO", "EOVERFLOW"].map((code) => [code, `cannot be read: ${code}`] as const),
]);

/** Why a file could not be had, in OpenCode's forms; anything unexpected stays what it is. */
function refusalOf(error: unknown, directory: string): OpencodeError | undefined {
  if (error instanceof FileRefused) return badRequest(error.message, "Query");
  const path = (error as NodeJS.ErrnoException).path ?? directory;
  const code = codeOf(error) ?? "";
  if (code === "ENOENT") return notFound(`${path} does not exist`);
  if (code === "EACCES" || code === "EPERM")
    return named(403, "ForbiddenError", `${path} may not be read by the user that Parley runs as`);
  const fault = FAULTS.get(code);
  return fault === undefined ? undefined : badRequest(`${path} ${fault}`, "Query");
}

/** A program that is started where nothing is would only say that the program is not there. */
export async function assertDirectory(directory: string): Promise<void> {
  if (!(await stat(directory)).isDirectory()) throw badRequest(`${directory} is not a directory`, "Query");
}

/** Does something with files below a directory, and says plainly what stands in the way. */
export async function withFiles<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error, directory) ?? error;
  }
}
