import { ParleyError } from "../core/errors.ts";

/** Where a database is, and what of it nobody may read. */
export interface Address {
  /** The URL as `pg` takes it. */
  url: string;
  /** Host, port and name, for messages. */
  where: string;
  user: string;
  database: string;
  /** Takes secrets out of a text. */
  redact(text: string): string;
}

const EXPECTED = "expected a URL like postgres://user:password@host:5432/database";

/** Passwords shorter than this are taken out of URLs only: elsewhere they would be parts of ordinary words. */
const SHORTEST_SECRET = 4;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a database's URL. What it does not say comes from the variables that PostgreSQL's own programs know. */
export function readAddress(url: string, env: Environment = process.env): Address {
  const parsed = parse(url);
  const { searchParams } = parsed;
  const redact = redactor(secretsOf(parsed, env));
  const hostname = decoded(parsed.hostname === EMPTY_HOST ? "" : parsed.hostname);
  const host = (searchParams.get("host") ?? hostname) || (env.PGHOST ?? "localhost");
  const port = (searchParams.get("port") ?? parsed.port) || (env.PGPORT ?? "5432");
  const user = decoded(parsed.username) || (searchParams.get("user") ?? env.PGUSER ?? env.USER ?? "");
  const database = decoded(parsed.pathname.slice(1)) || (env.PGDATABASE ?? user);
  if (!/^\d{1,5}$/.test(port)) throw wrongUrl("a port that is a number", redact(port));
  return { url, where: redact(`${host}:${port}/${database}`), user, database, redact };
}

const EMPTY_HOST = "empty.invalid";

function parse(url: string): URL {
  if (!/^postgres(ql)?:\/\//.test(url)) throw wrongUrl("postgres://", `${url.slice(0, 12).replace(/\/\/.*/s, "//")}…`);
  try {
    // A URL of a socket has no host, which the web's own URLs must have.
    return new URL(url.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?#]|$)/, `$1${EMPTY_HOST}`));
  } catch {
    throw wrongUrl("a URL", "a text that is none: encode special characters of the password, such as @ as %40");
  }
}

function wrongUrl(what: string, got: string): ParleyError {
  return new ParleyError("invalid", `${EXPECTED}: ${what}, got ${got}`);
}

function secretsOf(url: URL, env: Environment): string[] {
  const given = [url.password, decoded(url.password), url.searchParams.get("password"), env.PGPASSWORD];
  return [...new Set(given.flatMap((secret) => (secret ? [secret, encodeURIComponent(secret)] : [])))];
}

function redactor(secrets: readonly string[]): Address["redact"] {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  return (text) => {
    let redacted = text
      .replace(/(\bpostgres(?:ql)?:\/\/[^/@\s:]*):[^@\s]*@/g, "$1:***@")
      .replace(/(\bpassword=)[^&\s]*/gi, "$1***");
    for (const secret of long) redacted = redacted.replaceAll(secret, "***");
    return redacted;
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
