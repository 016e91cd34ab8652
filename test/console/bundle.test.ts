import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { bundleConsole } from "../../scripts/console/bundle.ts";
import type { Bundle } from "../../src/server/console/bundle.ts";
import { PATIENCE_MS } from "../support/time.ts";

/** Of the first load: the document, its script and modules, its styles. */
const FIRST_LOAD_BYTES = 60_000;

describe("the console's bundle", { timeout: PATIENCE_MS }, () => {
  let bundle: Bundle;
  const textOf = (name: string): string => {
    const found = bundle.files.find((one) => one.name === name);
    assert.ok(found, `${name} among ${bundle.files.map((one) => one.name).join(", ")}`);
    return Buffer.from(found.bytes).toString();
  };
  /** The files that a document asks for at once. */
  const loaded = (document: string): string[] =>
    [
      ...textOf(document).matchAll(
        /<(?:script|link rel="(?:stylesheet|modulepreload)")[^>]* (?:src|href)="\/console\/([^"]+)"/g,
      ),
    ].map(([, name = ""]) => name);

  before(async () => {
    bundle = await bundleConsole({ sourcemaps: false });
  });

  test(`the first load is at most ${FIRST_LOAD_BYTES} bytes over the wire, without the terminal`, () => {
    const names = ["index.html", ...loaded("index.html")];
    assert.ok(names.some((name) => /^assets\/main-\w+\.js$/.test(name)));
    assert.ok(names.some((name) => /^assets\/main-\w+\.css$/.test(name)));
    const bytes = names.reduce((sum, name) => sum + gzipSync(textOf(name), { level: 9 }).length, 0);
    assert.ok(bytes <= FIRST_LOAD_BYTES, `got ${bytes} bytes: ${names.join(", ")}`);
    assert.ok(!names.some((name) => name.includes("terminal")));
  });

  test("a page has few files to find: each costs the browser some milliseconds, also from its cache", () => {
    assert.ok(loaded("index.html").length <= 5, loaded("index.html").join(", "));
    assert.ok(loaded("session.html").length <= 8, loaded("session.html").join(", "));
    assert.ok(loaded("session.html").some((name) => /^assets\/session-page-\w+\.js$/.test(name)));
  });

  test("the first requests are sent before anything else of the script runs", () => {
    const scripts = loaded("session.html").filter((name) => name.endsWith(".js"));
    const sending = scripts.find((name) => textOf(name).includes("before=latest&limit="));
    assert.ok(sending, "a script that asks for the first events");
    const text = textOf(sending);
    assert.ok(text.indexOf("before=latest&limit=") < text.indexOf("createElement"), "at its beginning");
  });

  test("the documents hold no script and no style of their own, and name files that there are", () => {
    for (const name of ["index.html", "session.html", "terminal.html"]) {
      const page = textOf(name);
      assert.doesNotMatch(page, /<style| style=| on\w+=|<script(?! type="module" src=)|javascript:|https?:/i);
      for (const [, path = ""] of page.matchAll(/(?:src|href)="\/console\/([^"]*)"/g)) textOf(path);
    }
  });

  test("the manifest's icons are there, and the pictures have the sizes that it says", () => {
    const { icons, start_url } = JSON.parse(textOf("manifest.webmanifest")) as {
      icons: { src: string; sizes: string }[];
      start_url: string;
    };
    assert.equal(start_url, "/console/");
    for (const { src, sizes } of icons) {
      const found = bundle.files.find(({ name }) => `/console/${name}` === src);
      assert.ok(found, src);
      assert.ok(found.bytes.length < 10_000);
      if (sizes === "any") continue;
      const view = new DataView(found.bytes.buffer, found.bytes.byteOffset);
      assert.equal(`${view.getUint32(16)}x${view.getUint32(20)}`, sizes);
    }
  });

  test("a package gets no source maps, and no path of the machine that made it", () => {
    for (const { name, bytes } of bundle.files) {
      assert.doesNotMatch(name, /\.map$/);
      assert.ok(!Buffer.from(bytes).includes(process.cwd()), name);
    }
  });
});
