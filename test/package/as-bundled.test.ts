import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { withAtHand, withoutFacades, withoutRequire, withParts, withPlace } from "../../scripts/package/as-bundled.ts";
import { licensesOf } from "../../scripts/package/licenses.ts";

describe("a source as it is bundled", () => {
  for (const [name, source, bundled] of [
    ["names", 'import { a, b as c } from "node:fs";', 'const { a, b: c } = process.getBuiltinModule("node:fs");'],
    [
      "types among names",
      'import { type A, b } from "node:net";',
      'const { b } = process.getBuiltinModule("node:net");',
    ],
    ["a default", 'import path from "node:path";', 'const path = process.getBuiltinModule("node:path");'],
    ["all", 'import * as os from "node:os";', 'const os = process.getBuiltinModule("node:os");'],
    [
      "many lines, of which none is lost",
      'import {\n  a,\n  b,\n} from "node:fs/promises";\nx',
      'const { a, b } = process.getBuiltinModule("node:fs/promises");\n\n\n\nx',
    ],
    ["types alone", 'import type { A } from "node:fs";', 'import type { A } from "node:fs";'],
    ["a package", 'import { z } from "zod";', 'import { z } from "zod";'],
    [
      "two imports, of which the first is a package's",
      'import { z } from "zod";\nimport { a } from "node:fs";',
      'import { z } from "zod";\nconst { a } = process.getBuiltinModule("node:fs");',
    ],
  ] as const) {
    test(name, () => assert.equal(withoutFacades(source), bundled));
  }

  test("finds files beside it", () => {
    assert.equal(
      withPlace('new URL("x", import.meta.url)', "a/b.js"),
      'new URL("x", new URL("a/b.js", import.meta.url).href)',
    );
  });

  test("takes the parts of zod by name", () => {
    assert.equal(withParts('import { z } from "zod";'), 'import * as z from "zod";');
    assert.equal(withParts('import { z } from "zod/v4";'), 'import * as z from "zod/v4";');
    assert.equal(withParts('import type { z } from "zod";'), 'import type { z } from "zod";');
  });

  test("has no require of what Node has", () => {
    assert.equal(
      withoutRequire('var a = require("fs"), b = require("./fs");'),
      'var a = process.getBuiltinModule("fs"), b = require("./fs");',
    );
  });
  describe("has late imports of modules that are loaded by then", () => {
    const isAtHand = (path: string): boolean => path === "./near.ts";

    test("as those modules, without a file of their own", () => {
      const source = 'const a = async () => (await import("./near.ts")).b;\nconst c = () => import("./near.ts");\n';
      const near =
        "const a = async () => (await Promise.resolve(atHand0)).b;\nconst c = () => Promise.resolve(atHand0);\n";
      assert.equal(withAtHand(source, isAtHand), `${near}import * as atHand0 from "./near.ts";\n`);
    });

    test("and others as they are", () => {
      const source = 'const a = () => import("./far.ts");\nconst b = () => import("near");\n';
      assert.equal(withAtHand(source, isAtHand), source);
    });
  });
});

test("the licenses of bundled packages are each there once", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const text = licensesOf(
    ["node_modules/zod/a.js", "node_modules/zod/b.js", "node_modules/@hono/node-server/c.mjs", "src/a.ts"],
    root,
  );
  assert.deepEqual(text.match(/^(?:zod|@hono\/node-server) \d.*$/gm)?.length, 2);
  assert.equal(text.match(/Permission is hereby granted/g)?.length, 2);
});
