/** What is known about a line beside its message: ids, counts, `err` for something thrown. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The little of a logger that every room may use; the real one is made at the edge. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds these fields to each of its lines. */
  child(fields: LogFields): Logger;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
