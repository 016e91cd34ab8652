import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CheckoutCopy } from "../support/checkout-copy.ts";

const HOOK = new URL("../support/loaded-modules.mjs", import.meta.url).href;
/** It is part of every start. */
const NEEDED = "src/core/errors.ts";
/** It is loaded for a request, and imports modules that every start needs. */
const LATE = "src/server/engine.ts";

const saying = (words: string): string => `\nprocess.stderr.write("${words}\\n");\n`;

/** The names of the modules that a start loads before its first line. */
async function loadedBy(checkout: CheckoutCopy, env: Record<string, string> = {}): Promise<string[]> {
  const file = join(checkout.root, "loaded.json");
  const started = checkout.start({ LOADED_MODULES: file, ...env }, ["--import", HOOK]);
  await assert.rejects(started, /before its first line/);
  const modules = JSON.parse(readFileSync(file, "utf8")) as { url: string }[];
  return modules.map(({ url }) => url).filter((url) => !url.endsWith("loaded-modules.mjs"));
}

describe("the start of a server in a checkout", () => {
  test("is compiled once, into one file that later starts load in place of the sources", async () => {
    await using checkout = new CheckoutCopy();
    await checkout.said();
    const code = checkout.keptCode();
    assert.deepEqual(
      checkout.keptFiles(),
      [code, `${code}.map`].map((file) => file.slice(checkout.kept.length + 1)),
    );
    const before = readFileSync(code);
    const loaded = await loadedBy(checkout);
    assert.deepEqual(
      loaded.filter((url) => url.endsWith(".ts")),
      [],
    );
    assert.ok(loaded.some((url) => url.endsWith(code)));
    assert.deepEqual(readFileSync(checkout.keptCode()), before);
  });

  test("shares its modules with those that are loaded later", async () => {
    await using checkout = new CheckoutCopy();
    checkout.append(NEEDED, saying("needed"));
    checkout.append(LATE, `import * as needed from "../core/errors.ts";${saying("late")}export { needed };`);
    const { url, stderr } = await checkout.start();
    assert.equal((await fetch(`${url}/v1/sessions/ses_none`)).status, 404);
    assert.deepEqual(stderr().match(/^(?:needed|late)$/gm), ["needed", "late"]);
  });

  test("has an edit of a source in force, and the edit's end", async () => {
    await using checkout = new CheckoutCopy();
    const text = checkout.read(NEEDED);
    assert.doesNotMatch(await checkout.said(), /edit/);
    checkout.write(NEEDED, text + saying("edit 1"));
    assert.match(await checkout.said(), /^edit 1$/m);
    // As long as the one before.
    checkout.write(NEEDED, text + saying("edit 2"));
    assert.match(await checkout.said(), /^edit 2$/m);
    checkout.write(NEEDED, text);
    assert.doesNotMatch(await checkout.said(), /edit/);
    assert.equal(checkout.keptFiles().length, 6);
  });

  test("has an added source in force, and says that a removed one is missing", async () => {
    await using checkout = new CheckoutCopy();
    await checkout.said();
    checkout.append(NEEDED, 'import "./added.ts";\n');
    checkout.write("src/core/added.ts", saying("added"));
    assert.match(await checkout.said(), /^added$/m);
    rmSync(checkout.path("src/core/added.ts"));
    await assert.rejects(checkout.start(), /Cannot find module .*src\/core\/added\.ts/);
  });

  const harms: Record<string, (file: string) => void> = {
    "cut off": (file) => truncateSync(file, 1_000),
    empty: (file) => truncateSync(file, 0),
    "changed in one letter": (file) =>
      writeFileSync(file, readFileSync(file, "utf8").replace("ParleyError", "ParleyErrors")),
    "other code": (file) => writeFileSync(file, saying("other")),
  };
  test("makes a file anew that is damaged", async () => {
    await using checkout = new CheckoutCopy();
    await checkout.said();
    const whole = readFileSync(checkout.keptCode());
    for (const [harm, damage] of Object.entries(harms)) {
      damage(checkout.keptCode());
      assert.doesNotMatch(await checkout.said(), /other/, harm);
      assert.deepEqual(readFileSync(checkout.keptCode()), whole, harm);
    }
  });

  test("needs nothing that a start left which was killed while it wrote", async () => {
    await using checkout = new CheckoutCopy();
    await checkout.said();
    const code = checkout.keptCode();
    writeFileSync(`${code}.1234.mjs`, readFileSync(code).subarray(0, 1_000));
    rmSync(code);
    await checkout.said();
    assert.ok(readFileSync(code).length > 1_000);
  });

  test("succeeds twice at once", async () => {
    await using checkout = new CheckoutCopy();
    const started = await Promise.all(Array.from({ length: 3 }, () => checkout.start()));
    for (const { url } of started) assert.equal((await fetch(`${url}/health`)).status, 200);
    checkout.keptCode();
    assert.equal(checkout.keptFiles().length, 2);
  });

  describe("runs the sources as they are", () => {
    const isAsItIs = async (checkout: CheckoutCopy, env: Record<string, string> = {}): Promise<void> => {
      const loaded = await loadedBy(checkout, env);
      assert.ok(loaded.some((url) => url.endsWith(NEEDED)));
      assert.deepEqual(checkout.keptFiles(), []);
    };

    test("where nothing can be kept", async () => {
      await using checkout = new CheckoutCopy();
      writeFileSync(join(checkout.root, "file"), "");
      await isAsItIs(checkout, { NODE_COMPILE_CACHE: join(checkout.root, "file") });
    });

    test("where others may write, and so could have us run their code", async () => {
      await using checkout = new CheckoutCopy();
      mkdirSync(checkout.kept, { recursive: true });
      chmodSync(checkout.kept, 0o777);
      await isAsItIs(checkout);
    });

    test("without esbuild", async () => {
      await using checkout = new CheckoutCopy();
      rmSync(checkout.path("node_modules/@esbuild"));
      await isAsItIs(checkout);
    });

    test("where compiled code is not wanted", async () => {
      await using checkout = new CheckoutCopy();
      await isAsItIs(checkout, { NODE_DISABLE_COMPILE_CACHE: "1" });
    });

    const others: Record<string, string> = {
      "imports a package": 'import "zod";\n',
      "looks for files beside it": "export const here = import.meta.url;\n",
      "exports what changes": "export let changes = 1;\n",
    };
    test(`where one of them ${Object.keys(others).join(", or ")}`, async () => {
      await using checkout = new CheckoutCopy();
      const before = checkout.read(NEEDED);
      for (const text of Object.values(others)) {
        checkout.write(NEEDED, before + text);
        await isAsItIs(checkout);
      }
    });
  });

  test("runs its own sources with the packages of another checkout", async () => {
    await using checkout = new CheckoutCopy();
    await using other = new CheckoutCopy();
    other.append(LATE, saying("the other's"));
    rmSync(checkout.path("node_modules"), { recursive: true });
    symlinkSync(other.path("node_modules"), checkout.path("node_modules"));
    checkout.append(LATE, saying("its own"));
    const { url, stderr } = await checkout.start({ NODE_COMPILE_CACHE: undefined });
    assert.equal((await fetch(`${url}/v1/sessions`)).status, 200);
    assert.match(stderr(), /^its own$/m);
    assert.doesNotMatch(stderr(), /the other's/);
    assert.match(await checkout.said({ NODE_COMPILE_CACHE: undefined }), /listening/);
  });

  test("names the source and the line of a defect", async () => {
    await using checkout = new CheckoutCopy();
    const text = checkout.read("src/cli/main.ts");
    const [before = "", after = ""] = text.split("  hideToken(argv);\n");
    checkout.write(
      "src/cli/main.ts",
      `${before}  hideToken(argv);\n  process.once("exit", () => tell(new Error("a defect").stack ?? ""));\n${after}`,
    );
    const line = before.split("\n").length + 1;
    const { child, stderr } = await checkout.start();
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    assert.match(stderr(), new RegExp(`Error: a defect\\nparley: +at .*src/cli/main\\.ts:${line}:\\d+`));
    checkout.keptCode();
  });
});
