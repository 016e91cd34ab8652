import { messageOf } from "../../core/errors.ts";
import type { Fields } from "../../core/json/fields.ts";
import { FileRefused } from "../../host/files/file-refused.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, type Reply } from "./rpc.ts";
import type { Files } from "./serve/files.ts";
import { Refused } from "./serve/guard.ts";
import type { Terminals } from "./serve/terminals.ts";

type Serve = (params: Fields) => Promise<Fields> | Fields;

/** The requests that Parley does for the program itself. */
export function servedBy(files: Files, terminals: Terminals): ReadonlyMap<string, Serve> {
  return new Map<string, Serve>([
    ["fs/read_text_file", (params) => files.read(params)],
    ["fs/write_text_file", (params) => files.write(params)],
    ["terminal/create", (params) => terminals.create(params)],
    ["terminal/output", (params) => terminals.output(params)],
    ["terminal/wait_for_exit", (params) => terminals.waitForExit(params)],
    ["terminal/kill", (params) => terminals.kill(params)],
    ["terminal/release", (params) => terminals.release(params)],
  ]);
}

function errorOf(error: unknown): Reply {
  const isTheirs = error instanceof Refused || error instanceof FileRefused;
  return { error: { code: isTheirs ? INVALID_PARAMS : INTERNAL_ERROR, message: messageOf(error) } };
}

export async function serve(work: Serve, params: Fields): Promise<Reply> {
  try {
    return { result: await work(params) };
  } catch (error) {
    return errorOf(error);
  }
}

export function tooLong(method: string): Reply {
  const message = `the line of ${method} is too long to be read whole: expected texts of at most 1 MiB`;
  return { error: { code: INVALID_PARAMS, message } };
}

export function unknownMethod(method: string): Reply {
  return { error: { code: METHOD_NOT_FOUND, message: `Parley does not serve ${method}` } };
}
