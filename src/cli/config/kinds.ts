import type { PortRange } from "../../agents/opencode/serve/ports.ts";
import type { ConfiguredAgent, HouseConfig } from "../../server/agents.ts";
import { ADVERTISED_PHRASE, advertisedOrigin } from "../../server/guards/advertised.ts";
import { DURATION_PHRASE, parseDuration } from "./duration.ts";

/** A token as such, or the file it is in. */
export type Credential = { token: string } | { file: string };

/** The values that files hold, by the name of their check. The checks are in schema.ts: their library is slow to load. */
export interface FileValues {
  text: string;
  address: string;
  agentName: string;
  port: number;
  count: number;
  duration: string;
  boolean: boolean;
  texts: string[];
  roots: string[];
  agents: Record<string, ConfiguredAgent>;
  house: HouseConfig;
}

type Argv = readonly [string, ...string[]];

/** Makes a path absolute: `~/` is the home directory, and a relative path starts where it was written. */
export type Resolve = (path: string) => string;

/** How the value of a setting is written, and what it becomes. A text in a file is parsed as one in a variable is. */
export interface Kind<T> {
  readonly check: keyof FileValues;
  readonly expected: string;
  /** Undefined when the text means nothing. */
  parse(text: string): T | undefined;
  /** All that it can be, where that is a short list. */
  readonly values?: readonly string[];
  /** Its flag may be given more than once. */
  readonly repeatable?: boolean;
  /** It may hold a password: no message repeats it. */
  readonly secret?: boolean;
  /** For a value with paths in it. */
  resolve?(value: T, path: Resolve): T;
}

export const text: Kind<string> = { check: "text", expected: "a text", parse: (value) => value };
export const agentName: Kind<string> = { ...text, check: "agentName" };
export const address: Kind<string> = {
  check: "address",
  expected: "an address",
  parse: (value) => value || undefined,
};
export const origin: Kind<string> = { check: "text", expected: ADVERTISED_PHRASE, parse: advertisedOrigin };
/** An address with anything that may belong to it, such as a password. */
export const url: Kind<string> = {
  check: "text",
  expected: "an address such as http://127.0.0.1:4096",
  parse: (value) => (/^https?:\/\/[^/]/.test(value) && URL.canParse(value) ? value : undefined),
};
export const database: Kind<string> = {
  check: "text",
  expected: "an address such as postgres://parley@db.example/parley",
  secret: true,
  parse: (value) => (/^postgres(ql)?:\/\//.test(value) ? value : undefined),
};
export const label: Kind<string> = {
  check: "text",
  expected: "a name of up to 64 letters, digits, dots, dashes and underscores",
  parse: (value) => (/^[A-Za-z0-9._-]{1,64}$/.test(value) ? value : undefined),
};
export const directory: Kind<string> = { ...text, resolve: (value, path) => path(value) };
export const file: Kind<string> = { ...directory, expected: "a file" };
export const token: Kind<Credential> = { check: "text", expected: "a token", parse: (value) => ({ token: value }) };
export const tokenFile: Kind<Credential> = { check: "text", expected: "a file", parse: (file) => ({ file }) };

export const port: Kind<number> = {
  check: "port",
  expected: "a port from 0 to 65535",
  parse: (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
};

export const ports: Kind<PortRange> = {
  check: "text",
  expected: "ports from 1 to 65535 such as 4200-4300",
  parse(value) {
    const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value) ?? [];
    const [first, last] = [Number(from), Number(to)];
    return first > 0 && first <= last && last <= 65_535 ? { first, last } : undefined;
  },
};

export const count: Kind<number> = {
  check: "count",
  expected: "a whole number, 0 or more",
  parse: (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined),
};

export const duration: Kind<number> = { check: "duration", expected: DURATION_PHRASE, parse: parseDuration };

export const texts: Kind<readonly string[]> = {
  check: "texts",
  expected: "a list with commas",
  repeatable: true,
  parse: (value) => value.split(",").flatMap((entry) => entry.trim() || []),
};

export const directories: Kind<readonly string[]> = { ...texts, resolve: (value, path) => value.map(path) };
export const roots: Kind<readonly string[]> = { ...directories, check: "roots" };

const TRUE = ["1", "true", "yes", "on"];
const FALSE = ["0", "false", "no", "off"];

export const yesOrNo: Kind<boolean> = {
  check: "boolean",
  expected: "true or false",
  parse: (value) => (TRUE.includes(value) ? true : FALSE.includes(value) ? false : undefined),
};

export function oneOf<T extends string>(values: readonly T[]): Kind<T> {
  return {
    check: "text",
    expected: `one of ${values.join(", ")}`,
    values,
    parse: (text) => values.find((value) => value === text),
  };
}

/** Only a file can hold it. */
function object<C extends "agents" | "house">(check: C): Kind<FileValues[C]> {
  return { check, expected: "an object", parse: () => undefined };
}

export const house = object("house");

/** A program by its path starts at the file; a bare name is looked for in PATH. */
export const agents: Kind<FileValues["agents"]> = {
  ...object("agents"),
  resolve(value, path) {
    const whole = ([program, ...args]: Argv): Argv => [program.includes("/") ? path(program) : program, ...args];
    const resolved = ({ command, acp, ...rest }: ConfiguredAgent): ConfiguredAgent => ({
      ...rest,
      ...(command ? { command: whole(command) } : {}),
      ...(acp ? { acp: whole(acp) } : {}),
    });
    return Object.fromEntries(Object.entries(value).map(([name, agent]) => [name, resolved(agent)]));
  },
};
