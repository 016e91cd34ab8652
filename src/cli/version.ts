import { readFileSync } from "node:fs";

/** From the package itself, which lies at the same distance from the source and from the build. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
