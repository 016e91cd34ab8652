import { messageOf } from "../../core/errors.ts";
import type { Fields } from "../../core/json/fields.ts";
import { FileRefused } from "../../host/files/file-refused.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, type Reply, WITHDRAWN } from "./rpc.ts";
import type { Files } from "./serve/files.ts";
import { Refused, Withdrawn } from "./serve/guard.ts";
import type { Terminals } from "./serve/terminals.ts";

/** `withdrawn` fires when the program no longer wants it: what waits is given up, what is being done is finished. */
type Serve = (params: Fields, withdrawn: AbortSignal) => Promise<Fields> | Fields;

/** The requests that Parley does for the program itself. */
export function servedBy(files: Files, terminals: Terminals): ReadonlyMap<string, Serve> {
  return new Map<string, Serve>([
    ["fs/read_text_file", (params, withdrawn) => files.read(params, withdrawn)],
    ["fs/write_text_file", (params, withdrawn) => files.write(params, withdrawn)],
    ["terminal/create", (params, withdrawn) => terminals.create(params, withdrawn)],
    ["terminal/output", (params) => terminals.output(params)],
    ["terminal/wait_for_exit", (params, withdrawn) => terminals.waitForExit(params, withdrawn)],
    ["terminal/kill", (params) => terminals.kill(params)],
    ["terminal/release", (params) => terminals.release(params)],
  ]);
}

function errorOf(error: unknown): Reply {
  if (error instanceof Withdrawn) return WITHDRAWN;
  const isTheirs = error instanceof Refused || error instanceof FileRefused;
  return { error: { code: isTheirs ? INVALID_PARAMS : INTERNAL_ERROR, message: messageOf(error) } };
}

export async function serve(work: Serve, params: Fields, withdrawn: AbortSignal): Promise<Reply> {
  try {
    withdrawn.throwIfAborted();
    return { result: await work(params, withdrawn) };
  } catch (error) {
    return errorOf(error);
  }
}

export function tooLong(method: string): Reply {
  const message = `the line of ${method} is too long to be read whole: expected texts of at most 1 MiB`;
  return { error: { code: INVALID_PARAMS, message } };
}

export const unserved = (method: string): string => `Parley does not serve ${method}`;

export function unknownMethod(method: string): Reply {
  return { error: { code: METHOD_NOT_FOUND, message: unserved(method) } };
}
