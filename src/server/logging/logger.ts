import type { LogFields, Logger } from "../../core/logger.ts";
import { type LineWriter, lineWriter } from "./line-writer.ts";
import { jsonLine, LOG_LEVELS, type LogLevel, readableLine } from "./log-line.ts";
import { redactText } from "./redact.ts";

export interface LoggerOptions {
  level: LogLevel;
  /** Readable for a person; else one JSON object a line. */
  readable: boolean;
  colour?: boolean;
  /** Texts that must never be written: the token. */
  secrets?: readonly string[];
  /** Where to; stderr unless told. */
  fd?: number;
}

export interface ServerLogger extends Logger {
  /** Resolves when everything is written, or nobody reads it. Safe at any time. */
  flush(): Promise<void>;
}

const STDERR = 2;

/** Takes the secrets out of every line. */
function cleaned(output: LineWriter, options: LoggerOptions): LineWriter {
  return {
    write(line) {
      const text = redactText(line, options.secrets);
      output.write(options.readable ? readableLine(text, options.colour === true) : text);
    },
    flush: () => output.flush(),
  };
}

export function createLogger(options: LoggerOptions): ServerLogger {
  const output = cleaned(lineWriter(options.fd ?? STDERR), options);
  const least = LOG_LEVELS.indexOf(options.level);

  function loggerWith(bound: LogFields): Logger {
    const log = (level: LogLevel) => (fields: LogFields, message: string) => {
      if (LOG_LEVELS.indexOf(level) < least) return;
      output.write(jsonLine({ level, time: Date.now(), fields: { ...bound, ...fields }, message }));
    };
    return {
      debug: log("debug"),
      info: log("info"),
      warn: log("warn"),
      error: log("error"),
      child: (fields) => loggerWith({ ...bound, ...fields }),
    };
  }

  return { ...loggerWith({}), flush: () => output.flush() };
}
