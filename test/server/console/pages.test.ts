import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { withCodings } from "../../../scripts/console/write.ts";
import type { Bundle, BundledFile } from "../../../src/server/console/bundle.ts";
import { filesOf } from "../../../src/server/console/files.ts";
import { chooseCoding, hasTag } from "../../../src/server/console/negotiate.ts";
import { createPages, fileNameOf } from "../../../src/server/console/pages.ts";
import { bundledStock } from "../../../src/server/console/stock.ts";
import { mountAll, request, startServer } from "../helpers.ts";

const file = (name: string, text: string): BundledFile => ({ name, bytes: Buffer.from(text) });
const SCRIPT = "export const talk = 'walnut';".repeat(40);
const BUNDLED = [
  file("index.html", "<!doctype html><title>console</title>"),
  file("session.html", "<!doctype html><title>session</title>"),
  file("terminal.html", "<!doctype html><title>terminal</title>"),
  file("icon.svg", "<svg/>"),
  file("icon-180.png", "png"),
  file("assets/main-ABCD.js", SCRIPT),
];
const FILES = filesOf(BUNDLED.flatMap(withCodings));
const NAMES = new Set(FILES.keys());
const serving = () => {
  const pages = createPages(() => Promise.resolve(FILES));
  return startServer({
    console: true,
    mounts: [mountAll((incoming, response, { path }) => pages(incoming, response, path))],
  });
};
const STRANGER = { authorization: "" };

const NAMED: [path: string, name: string | undefined][] = [
  ["", "index.html"],
  ["s/ses_1", "session.html"],
  ["s/ses_1.5/changes", "session.html"],
  ["s/", "index.html"],
  ["search", "index.html"],
  ["assets/main-ABCD.js", "assets/main-ABCD.js"],
  ["assets/main-OLD.js", undefined],
  ["assets/", undefined],
  ["assets/main-ABCD.js.gz", undefined],
  ["favicon.ico", undefined],
  ["icon.svg", "icon.svg"],
  ["terminal/trm_1", "terminal.html"],
  ["terminal/", "index.html"],
  ["terminal/a/b", "index.html"],
  ["../package.json", "index.html"],
  ["assets/../../../package.json", undefined],
  ["%2e%2e/%2e%2e/etc/passwd", "index.html"],
];

describe("the name of a console file", () => {
  for (const [path, expected] of NAMED)
    test(`/console/${path} is ${expected ?? "none"}`, () =>
      assert.equal(
        fileNameOf(path, (name) => NAMES.has(name)),
        expected,
      ));
});

const CODINGS: [header: string | undefined, expected: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["GZIP ; Q=1", "gzip"],
  ["br;q=0.1, gzip;q=0.9", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["*", "br"],
  ["*;q=0", undefined],
  ["br;q=0, *", "gzip"],
  ["identity", undefined],
  ["gzip;q=walnut", undefined],
];

describe("the coding of a console file", () => {
  for (const [header, expected] of CODINGS)
    test(`${header ?? "nothing"} gets ${expected ?? "the file as it is"}`, () =>
      assert.equal(chooseCoding(header, ["br", "gzip"]), expected));

  test("a coding that there is not is never chosen", () => {
    assert.equal(chooseCoding("br, gzip", ["gzip"]), "gzip");
    assert.equal(chooseCoding("br, gzip", []), undefined);
  });

  test("a tag is known among others, weak or strong", () => {
    assert.ok(hasTag('"a", W/"b"', '"b"'));
    assert.ok(hasTag("*", '"b"'));
    assert.ok(!hasTag('"bc"', '"b"'));
    assert.ok(!hasTag(undefined, '"b"'));
  });
});

describe("the console's pages over HTTP", () => {
  test("every page is the document, for strangers too, with a policy that allows nothing from elsewhere", async () => {
    await using server = await serving();
    for (const [path, title] of [
      ["/console/", "console"],
      ["/console/s/ses_1", "session"],
      ["/console/inbox?x=1", "console"],
    ]) {
      const { status, headers, body } = await request(server.port, `GET ${path}`, STRANGER);
      assert.deepEqual([status, body], [200, `<!doctype html><title>${title}</title>`]);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(headers.get("cache-control"), "no-cache");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
      assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
      assert.match(headers.get("permissions-policy") ?? "", /camera=\(\)/);
      const policy = headers.get("content-security-policy") ?? "";
      for (const part of [
        "default-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
        assert.ok(policy.split("; ").includes(part), `${part} in ${policy}`);
      assert.doesNotMatch(policy, /unsafe|\*/);
    }
  });

  test("a terminal's document alone may be framed by the console, and has styles of its own", async () => {
    await using server = await serving();
    const { headers, body } = await request(server.port, "GET /console/terminal/trm_1", STRANGER);
    assert.match(body, /terminal/);
    const parts = (headers.get("content-security-policy") ?? "").split("; ");
    assert.ok(parts.includes("frame-ancestors 'self'"));
    assert.ok(parts.includes("style-src 'self' 'unsafe-inline'"));
    assert.ok(parts.includes("script-src 'self'"));
  });

  test("a hashed file is kept for ever, and comes in the coding that was asked for", async () => {
    await using server = await serving();
    const url = `http://127.0.0.1:${server.port}/console/assets/main-ABCD.js`;
    for (const [coding, decode] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
      ["identity", (bytes: Buffer) => bytes],
    ] as const) {
      // Fetch would take the coding off.
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      const { get } = await import("node:http");
      get(url, { headers: { "accept-encoding": coding } }, async (response) => {
        assert.equal(response.headers["content-encoding"], coding === "identity" ? undefined : coding);
        assert.equal(response.headers["cache-control"], "public, max-age=31536000, immutable");
        assert.match(response.headers.vary ?? "", /Accept-Encoding/);
        resolve(Buffer.concat(await response.toArray()));
      }).on("error", reject);
      assert.equal(decode(await promise).toString(), SCRIPT);
    }
  });

  test("a file that the browser has already is not sent again, and each coding has a tag of its own", async () => {
    await using server = await serving();
    const line = "GET /console/assets/main-ABCD.js";
    const plain = (await request(server.port, line, STRANGER)).headers.get("etag") ?? "";
    const zipped = (await request(server.port, line, { ...STRANGER, "accept-encoding": "gzip" })).headers.get("etag");
    assert.notEqual(plain, zipped);
    const again = await request(server.port, line, { ...STRANGER, "if-none-match": plain });
    assert.deepEqual([again.status, again.body, again.headers.get("etag")], [304, "", plain]);
    const other = { ...STRANGER, "if-none-match": plain, "accept-encoding": "gzip" };
    assert.equal((await request(server.port, line, other)).status, 200);
  });

  test("HEAD has the head alone", async () => {
    await using server = await serving();
    const { status, headers, body } = await request(server.port, "HEAD /console/assets/main-ABCD.js", STRANGER);
    assert.deepEqual([status, body, headers.get("content-length")], [200, "", String(SCRIPT.length)]);
  });

  test("a file that there is not is refused, and no path leaves the console", async () => {
    await using server = await serving();
    for (const path of [
      "/console/assets/main-OLD.js",
      "/console/favicon.ico",
      "/console/assets/../../../../etc/passwd",
      "/console/assets/%2e%2e/%2e%2e/package.json",
    ]) {
      const { status, headers, text } = await request(server.port, `GET ${path}`, STRANGER);
      assert.equal(status, 404, path);
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'self'/);
      assert.doesNotMatch(text, /root:|parley-agents/);
    }
  });

  test("a foreign name and a foreign page's script tag get nothing", async () => {
    await using server = await serving();
    const line = "GET /console/assets/main-ABCD.js";
    assert.equal((await request(server.port, line, { ...STRANGER, host: "evil.example" })).status, 421);
    const tag = { ...STRANGER, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    assert.equal((await request(server.port, line, tag)).status, 403);
  });
});

describe("a checkout's console", () => {
  test("is bundled once, and again when a source has changed and a page is loaded", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-console-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const source = join(folder, "main.tsx");
    writeFileSync(source, "");
    let times = 0;
    const bundle = async (): Promise<Bundle> => ({
      files: [file("index.html", `made ${++times}`)],
      sources: [source],
    });
    const stock = bundledStock(() => Promise.resolve(bundle));
    const shown = async (fresh: boolean) =>
      Buffer.from((await stock({ fresh })).get("index.html")?.bytes ?? []).toString();
    assert.deepEqual(await Promise.all([shown(true), shown(true)]), ["made 1", "made 1"]);
    assert.equal(await shown(true), "made 1");
    utimesSync(source, 1, 1);
    assert.equal(await shown(false), "made 1", "the files of a page that is open stay");
    assert.equal(await shown(true), "made 2");
    rmSync(source);
    assert.equal(await shown(true), "made 3");
  });

  test("a bundle that fails says why, and is tried again", async () => {
    let broken = true;
    const bundle = async (): Promise<Bundle> => {
      if (broken) throw new Error("main.tsx:1:2: expected a walnut");
      return { files: [file("index.html", "whole")], sources: [] };
    };
    const stock = bundledStock(() => Promise.resolve(bundle));
    await assert.rejects(stock({ fresh: true }), /could not be bundled: main\.tsx:1:2: expected a walnut/);
    broken = false;
    assert.ok((await stock({ fresh: true })).has("index.html"));
  });
});
