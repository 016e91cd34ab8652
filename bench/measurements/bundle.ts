import { gzipSync } from "node:zlib";
import { bundleConsole } from "../../scripts/console/bundle.ts";
import { type BriefMeasurement, under } from "../harness/figure.ts";

const KB = 1000;

/** The files that the console's page names, itself first. */
function firstLoad(files: ReadonlyMap<string, Uint8Array>): Uint8Array[] {
  const page = files.get("index.html");
  if (!page) throw new Error("expected index.html in the console's bundle, got none");
  const named = /<(?:script|link rel="(?:stylesheet|modulepreload)")[^>]* (?:src|href)="\/console\/([^"]+)"/g;
  const found = [...Buffer.from(page).toString().matchAll(named)].flatMap(([, name = ""]) => files.get(name) ?? []);
  return [page, ...found];
}

/** The console's first load by its bytes alone, without a browser. */
export const bundle: BriefMeasurement = {
  name: "bundle",
  async run() {
    const { files } = await bundleConsole({ sourcemaps: false });
    const loaded = firstLoad(new Map(files.map(({ name, bytes }) => [name, bytes])));
    const kilobytes = (size: (bytes: Uint8Array) => number): number =>
      loaded.reduce((sum, bytes) => sum + size(bytes), 0) / KB;
    const value = kilobytes((bytes) => gzipSync(bytes, { level: 9 }).length);
    const anchor = { name: "not compressed", value: kilobytes(({ length }) => length) };
    return {
      figures: [{ work: "console, bundle", value, unit: "kB", anchor, goal: under(60, "kB", value) }],
      method: "The page, the scripts and the styles of the console's first load, each compressed by gzip.",
    };
  },
};
