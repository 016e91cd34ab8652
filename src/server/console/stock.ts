import { existsSync, readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { messageOf, ParleyError } from "../../core/errors.ts";
import type { Bundle, BundledFile } from "./bundle.ts";
import { type ConsoleFiles, codedName, filesOf } from "./files.ts";

/** The files of the console, as they are now. */
export type Stock = (options: { fresh: boolean }) => Promise<ConsoleFiles>;

/** `dist/console` of a package. Nothing is there in a checkout, which runs its sources. */
const BUILT = fileURLToPath(new URL("../../console", import.meta.url));
const BUNDLER = new URL("../../../scripts/console/bundle.ts", import.meta.url);

export type Bundler = (options: { sourcemaps: boolean }) => Promise<Bundle>;

async function builtFiles(folder: string): Promise<BundledFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path).replaceAll(sep, "/"), bytes: readFileSync(path) }));
}

const zip = promisify(gzip);

/** A checkout has no time for the best coding, and its browser is near. */
async function zipped(files: readonly BundledFile[]): Promise<BundledFile[]> {
  const small = files.map(async ({ name, bytes }) => ({ name: codedName(name, "gzip"), bytes: await zip(bytes) }));
  return [...files, ...(await Promise.all(small))];
}

async function checkoutBundler(): Promise<Bundler> {
  const { bundleConsole } = (await import(BUNDLER.href)) as { bundleConsole: Bundler };
  return bundleConsole;
}

/** The newest change of any of these; a file that is gone is one, too. */
function newest(paths: readonly string[]): number {
  return Math.max(...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.MAX_VALUE));
}

/** Bundles at the first request, and again when a source has changed since and a page is loaded anew. */
export function bundledStock(load: () => Promise<Bundler>): Stock {
  let made: { files: ConsoleFiles; sources: readonly string[]; changed: number } | undefined;
  let making: Promise<ConsoleFiles> | undefined;

  async function make(): Promise<ConsoleFiles> {
    try {
      const bundle = await (await load())({ sourcemaps: true });
      const files = filesOf(await zipped(bundle.files));
      made = { files, sources: bundle.sources, changed: newest(bundle.sources) };
      return files;
    } catch (thrown) {
      throw new ParleyError("unavailable", `the console could not be bundled: ${messageOf(thrown)}`, {}, thrown);
    } finally {
      making = undefined;
    }
  }

  return async ({ fresh }) => {
    if (made && !(fresh && newest(made.sources) !== made.changed)) return made.files;
    making ??= make();
    return making;
  };
}

/** The files of the package, read once; in a checkout they are bundled. */
export function openStock(): Stock {
  if (!existsSync(BUILT)) return bundledStock(checkoutBundler);
  let files: Promise<ConsoleFiles> | undefined;
  return () => {
    files ??= builtFiles(BUILT).then(filesOf);
    return files;
  };
}
