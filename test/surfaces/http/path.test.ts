import assert from "node:assert/strict";
import { test } from "node:test";
import { paramDecoded, pathOf, queryOf } from "../../../src/surfaces/http/path.ts";

const PATHS: [target: string, path: string][] = [
  ["/v1/sessions", "/v1/sessions"],
  ["/v1/sessions?limit=2#x", "/v1/sessions"],
  ["/v1/sessions#x?y", "/v1/sessions"],
  ["/find/a%20b", "/find/a b"],
  ["/find/%C3%BC", "/find/ü"],
  ["/find/a%2Fb", "/find/a%2Fb"],
  ["/find/100%25", "/find/100%25"],
  ["/find/%252F", "/find/%252F"],
  ["/find/%zz%", "/find/%zz%"],
  ["/find/%ff%20", "/find/%ff%20"],
  ["", ""],
];
for (const [target, path] of PATHS) test(`path of ${target}`, () => assert.equal(pathOf(target), path));

const PARAMS: [text: string, meant: string][] = [
  ["plain", "plain"],
  ["a%2Fb", "a/b"],
  ["100%25", "100%"],
  ["%252F", "%2F"],
  ["%zz", "%zz"],
];
for (const [text, meant] of PARAMS) test(`parameter ${text}`, () => assert.equal(paramDecoded(text), meant));

const QUERIES: [target: string, query: [string, string][]][] = [
  ["/a", []],
  ["/a?", []],
  ["/a?b=c&d=e+f%20g#h=i", [["b", "c"], ["d", "e f g"]]], // biome-ignore format: a row
  ["/a?b&b=", [["b", ""], ["b", ""]]], // biome-ignore format: a row
  ["/a?b=c?d=e&%zz=%", [["b", "c?d=e"], ["%zz", "%"]]], // biome-ignore format: a row
  ["/a?=b&=&&c", [["c", ""]]],
  ["/a??b=%ff%20&c==d", [["?b", "%ff%20"], ["c", "=d"]]], // biome-ignore format: a row
  ["/a?__proto__=b", [["__proto__", "b"]]],
];
for (const [target, query] of QUERIES) test(`query of ${target}`, () => assert.deepEqual(queryOf(target), query));
