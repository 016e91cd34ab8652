/** Every expected failure, with the HTTP status it has on REST surfaces. */
export const STATUS = {
  bad_request: 400,
  bad_cursor: 400,
  unauthorized: 401,
  forbidden: 403,
  untrusted_project: 403,
  not_found: 404,
  session_not_found: 404,
  agent_not_found: 404,
  ask_not_found: 404,
  prompt_not_found: 404,
  command_not_found: 404,
  turn_not_found: 404,
  terminal_not_found: 404,
  request_timeout: 408,
  busy: 409,
  ambiguous: 409,
  prompt_conflict: 409,
  already_answered: 409,
  steer_unsupported: 409,
  file_changed: 409,
  still_trusted: 409,
  already_imported: 409,
  too_large: 413,
  bad_content_type: 415,
  wrong_host: 421,
  invalid: 422,
  upgrade_required: 426,
  queue_full: 429,
  too_many_terminals: 429,
  too_many_failures: 429,
  headers_too_large: 431,
  internal: 500,
  unsupported: 501,
  unavailable: 503,
  storage_lost: 503,
  log_damaged: 503,
  shutting_down: 503,
  fenced: 503,
  outcome_unknown: 503,
  wrong_node: 503,
  disk_full: 507,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** An expected failure. The message says what was expected, what came and what to do. */
export class ParleyError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ParleyError";
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

export function isParleyError(value: unknown): value is ParleyError {
  return value instanceof ParleyError;
}

/** The code of a failure of the system, such as `ENOENT`; undefined for anything else that was thrown. */
export function codeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The refusal of a command for a session that another node owns, with the address of that node. */
export function wrongNode(session: string, node: string, address: string): ParleyError {
  const message = `session ${session} belongs to node ${node}: send commands for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}

/** The refusal of work in a directory that only other nodes have, with the address of one of them. */
export function directoryElsewhere(directory: string, node: string, address: string): ParleyError {
  const message = `the directory ${directory} belongs to node ${node}: send requests for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}

/** The refusal of a request about what only one node of a place keeps in memory, with the address of that node. */
export function keptElsewhere(node: string, address: string): ParleyError {
  const message = `node ${node} keeps this for its place: send requests for it to ${address}`;
  return new ParleyError("wrong_node", message, { node, address });
}
