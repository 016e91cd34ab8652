import { stat } from "node:fs/promises";
import { codeOf } from "../../../core/errors.ts";
import { FileRefused } from "../../../host/files/file-refused.ts";
import { badRequest, named, notFound, type OpencodeError } from "../errors.ts";

/** Why a file could not be had, in OpenCode's forms; anything unexpected stays what it is. */
function refusalOf(error: unknown, directory: string): OpencodeError | undefined {
  if (error instanceof FileRefused) return badRequest(error.message, "Query");
  const path = (error as NodeJS.ErrnoException).path ?? directory;
  switch (codeOf(error)) {
    case "ENOENT":
      return notFound(`${path} does not exist`);
    case "ENOTDIR":
      return badRequest(`${path} is not a directory`, "Query");
    case "EACCES":
    case "EPERM":
      return named(403, "ForbiddenError", `${path} may not be read by the user that Parley runs as`);
    case "ELOOP":
    case "ENAMETOOLONG":
      return badRequest(`${path} cannot be a file: ${codeOf(error)}`, "Query");
    case "ENXIO":
    case "ENODEV":
      return badRequest(`${path} is not a file`, "Query");
    case "EAGAIN":
    case "EINVAL":
    case "EIO":
    case "EOVERFLOW":
      return badRequest(`${path} cannot be read: ${codeOf(error)}`, "Query");
    default:
      return undefined;
  }
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
