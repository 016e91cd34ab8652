import assert from "node:assert/strict";
import { SourceMap as NodeSourceMap } from "node:module";
import { test } from "node:test";
import { transform } from "esbuild";
import { originOf } from "../../../src/cli/stack/mappings.ts";

const SOURCE = `interface A { a: number }
export function first(a: A): number {
  return a.a + 1_000_000;
}

export const second = (text: string) => {
  throw new TypeError(\`no \${text} of \${first({ a: 2 })}\`);
};
`;

for (const minify of [false, true]) {
  test(`a place in a bundle ${minify ? "of one line" : "of many lines"} has the origin that Node finds`, async () => {
    const { code, map } = await transform(SOURCE, {
      loader: "ts",
      sourcemap: true,
      sourcefile: "a.ts",
      minifyWhitespace: minify,
    });
    const read = JSON.parse(map);
    const node = new NodeSourceMap(read);
    let found = 0;
    for (const [at, text] of code.split("\n").entries()) {
      for (let column = 1; column <= text.length; column++) {
        const expected = node.findEntry(at, column - 1);
        const origin = originOf(read, { line: at + 1, column });
        if (!("originalSource" in expected)) continue;
        found += 1;
        assert.deepEqual(
          [origin?.source, origin?.line, origin?.column],
          [expected.originalSource, expected.originalLine + 1, expected.originalColumn + 1],
          `line ${at + 1}, column ${column}`,
        );
      }
    }
    assert.ok(found > 50);
  });
}

test("a place beyond the map has no origin", () => {
  assert.equal(originOf({ sources: ["a.ts"], mappings: "AAAA" }, { line: 9, column: 1 }), undefined);
});
