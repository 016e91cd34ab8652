import type { LogFields, Logger } from "../../core/logger.ts";
import { type LineWriter, lineWriter } from "./line-writer.ts";
import { LOG_LEVELS, type LogLevel, readableLine } from "./log-line.ts";
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
  /** Imports pino and writes what has gathered. For after the port is open: pino takes longer to import than all else. */
  open(): Promise<void>;
  /** Resolves when everything is written, or nobody reads it. Safe at any time. */
  flush(): Promise<void>;
}

interface Line {
  level: LogLevel;
  time: number;
  fields: LogFields;
  message: string;
}

type Sink = (line: Line) => void;

const STDERR = 2;
/** Lines that are kept until pino is loaded; more than these mean that something is wrong anyway. */
const EARLY_LINES = 1_000;

async function pinoSink(level: LogLevel, output: LineWriter): Promise<Sink> {
  const { pino } = await import("pino");
  let time = 0;
  const root = pino(
    {
      level,
      base: undefined,
      formatters: { level: (label) => ({ level: label }) },
      // A line that waited for pino keeps the time at which it was made.
      timestamp: () => `,"time":${time}`,
    },
    output,
  );
  return (line) => {
    time = line.time;
    root[line.level](line.fields, line.message);
  };
}

/** For a process that ends before pino came. */
function plainSink(output: LineWriter): Sink {
  return ({ level, time, fields: { err, ...fields }, message }) => {
    const shown = err instanceof Error ? { err: { message: err.message, stack: err.stack } } : {};
    output.write(`${JSON.stringify({ level, time, ...fields, ...shown, msg: message })}\n`);
  };
}

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
  let early: Line[] = [];
  let sink: Sink | undefined;
  let opening: Promise<void> | undefined;

  function release(to: Sink): void {
    const lines = early;
    early = [];
    for (const line of lines) to(line);
  }

  function loggerWith(bound: LogFields): Logger {
    const log = (level: LogLevel) => (fields: LogFields, message: string) => {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const line = { level, time: Date.now(), fields: { ...bound, ...fields }, message };
      if (sink) sink(line);
      else if (early.length < EARLY_LINES) early.push(line);
    };
    return {
      debug: log("debug"),
      info: log("info"),
      warn: log("warn"),
      error: log("error"),
      child: (fields) => loggerWith({ ...bound, ...fields }),
    };
  }

  return {
    ...loggerWith({}),
    open() {
      opening ??= pinoSink(options.level, output).then((opened) => {
        release(opened);
        sink = opened;
      });
      return opening;
    },
    flush() {
      release(plainSink(output));
      return output.flush();
    },
  };
}
