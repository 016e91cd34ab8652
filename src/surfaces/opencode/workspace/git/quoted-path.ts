const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** Git writes a path with unusual characters in quotes, as in C. */
export function unquoted(path: string): string {
  if (!path.startsWith('"')) return path;
  return path
    .slice(1, path.lastIndexOf('"'))
    .replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    );
}
