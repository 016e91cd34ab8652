import { usageError } from "../exit.ts";
import type { Layer } from "./settings.ts";

type Urls = Pick<Layer, "databaseUrl" | "databaseListen">;

const NO_PASSWORD =
  "a password in --database is seen in every list of processes: give the address by PARLEY_DATABASE or the user's configuration, or the password by PGPASSWORD";

const urlsOf = ({ databaseUrl, databaseListen }: Urls): string[] =>
  [databaseUrl, databaseListen].filter((url) => url !== undefined);

export function hasPassword(url: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/.test(url) || /[?&]password=/.test(url);
}

/** Refuses a password where others can read it. */
export function assertNoPassword(flags: Urls): void {
  if (urlsOf(flags).some(hasPassword)) throw usageError(NO_PASSWORD);
}

/** The words of a database's address that no log may show. */
export function databaseSecrets(settings: Urls): string[] {
  const urls = urlsOf(settings);
  const passwords = urls.flatMap((url) => /^[a-z]+:\/\/[^/?#]*?:([^/?#]*)@/.exec(url)?.[1] ?? []);
  const more = urls.flatMap((url) => /[?&]password=([^&#]*)/.exec(url)?.[1] ?? []);
  const all = [...passwords, ...more];
  return [...new Set([...all, ...all.map(decoded)])].filter((secret) => secret.length > 3);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address with the password that the environment gives, where it has none of its own. */
function withPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (url === undefined || !password || hasPassword(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
}

/** The addresses with the password of PGPASSWORD: that variable is taken out of the environment before an agent starts. */
export function withPasswords<S extends Urls>(settings: S, password: string | undefined): S {
  const [databaseUrl, databaseListen] = [settings.databaseUrl, settings.databaseListen].map((url) =>
    withPassword(url, password),
  );
  return {
    ...settings,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(databaseListen === undefined ? {} : { databaseListen }),
  };
}
