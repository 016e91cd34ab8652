import { writeSync } from "node:fs";
import type { LogFields, Logger } from "../core/logger.ts";
import { LOG_LEVELS, type LogLevel, readableLine } from "./log-line.ts";
import { redactText } from "./redact.ts";

export interface LoggerOptions {
  level: LogLevel;
  /** Readable for a person; else one JSON object a line. */
  readable: boolean;
  colour?: boolean;
  /** Texts that must never be written: the token. */
  secrets?: readonly string[];
  /** Takes whole lines; the file descriptor 2 unless told. */
  fd?: number;
}

export interface ServerLogger extends Logger {
  /** Imports pino and writes what has gathered. Called after the port is open: pino takes longer to import than all else. */
  open(): Promise<void>;
  /** Writes out what is left, at once. Safe at any time. */
  flush(): void;
}

interface Line {
  level: LogLevel;
  time: number;
  fields: LogFields;
  message: string;
}

interface Sink {
  write(line: Line): void;
  flush(): void;
}

/** What is kept before pino is there; more than this means that something is wrong anyway. */
const EARLY_LINES = 1_000;
/** A log reader that stands still must not fill the memory: beyond this, lines are dropped. */
const BUFFER_BYTES = 4 * 1024 * 1024;

async function openPino(options: LoggerOptions): Promise<Sink> {
  const { destination: createDestination, pino } = await import("pino");
  const destination = createDestination({ fd: options.fd ?? 2, sync: false, maxLength: BUFFER_BYTES });
  // A reader that has gone away takes its log with it, not the server.
  destination.on("error", () => {});
  let time = 0;
  const clean = (line: string): string => {
    const text = redactText(line, options.secrets);
    return options.readable ? readableLine(text, options.colour === true) : text;
  };
  const root = pino(
    {
      level: options.level,
      base: undefined,
      formatters: { level: (label) => ({ level: label }) },
      // A line that waited for pino keeps the time at which it was written.
      timestamp: () => `,"time":${time}`,
      hooks: { streamWrite: clean },
    },
    destination,
  );
  return {
    write(line) {
      time = line.time;
      root[line.level](line.fields, line.message);
    },
    flush() {
      try {
        destination.flushSync();
      } catch {
        // Nobody reads it any more.
      }
    },
  };
}

/** For a process that ends before pino came. */
function writeEarly(line: Line, options: LoggerOptions): void {
  const { err, ...fields } = line.fields;
  const shown = err instanceof Error ? { err: { message: err.message, stack: err.stack } } : {};
  const json = JSON.stringify({ level: line.level, time: line.time, ...fields, ...shown, msg: line.message });
  const text = `${redactText(json, options.secrets)}\n`;
  try {
    writeSync(options.fd ?? 2, options.readable ? readableLine(text, options.colour === true) : text);
  } catch {
    // Nobody reads it any more.
  }
}

export function createLogger(options: LoggerOptions): ServerLogger {
  let early: Line[] = [];
  let sink: Sink | undefined;
  let opening: Promise<void> | undefined;
  const least = LOG_LEVELS.indexOf(options.level);

  function loggerWith(bound: LogFields): Logger {
    const log = (level: LogLevel) => (fields: LogFields, message: string) => {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const line = { level, time: Date.now(), fields: { ...bound, ...fields }, message };
      if (sink) sink.write(line);
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
      opening ??= openPino(options).then((opened) => {
        sink = opened;
        for (const line of early) opened.write(line);
        early = [];
      });
      return opening;
    },
    flush() {
      sink?.flush();
      for (const line of early) writeEarly(line, options);
      early = [];
    },
  };
}
