/** Fields of a log line beside its message: ids, counts, `err` for something thrown. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The part of a logger that every room may use. The server makes the real one. */
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
