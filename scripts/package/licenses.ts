import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const file = readdirSync(folder).find((one) => /^licen[sc]e/i.test(one));
  const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version}\n\n${text}\n`;
}

/** The licenses of the packages that files are from: whoever passes on a part of a package passes on its license, too. */
export function licensesOf(files: readonly string[], root: string): string {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file)?.[1] ?? []));
  const found = [...folders]
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(join(folder, "package.json")));
  return found
    .map(licenseOf)
    .sort()
    .join(`\n${"-".repeat(80)}\n\n`);
}
