import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { flagLayer } from "../../../src/cli/command-options.ts";
import { acpCommand } from "../../../src/cli/commands/acp.ts";
import { serveCommand } from "../../../src/cli/commands/serve.ts";
import { SETTINGS } from "../../../src/cli/config/table.ts";
import { acpFlags, serveOptions } from "../../../src/cli/quick/quick.ts";

/** The outcome of commander for a line; undefined where it refuses it. */
function byCommander(name: "serve" | "acp", argv: readonly string[]): Record<string, unknown> | undefined {
  const command = name === "serve" ? serveCommand() : acpCommand();
  try {
    command
      .exitOverride()
      .configureOutput({ writeErr: () => {}, writeOut: () => {} })
      .action(() => {})
      .parse([...argv], { from: "user" });
  } catch {
    return undefined;
  }
  if (name === "acp") return command.opts();
  const { insecureNoAuth, dir, json } = command.opts<Record<string, unknown>>();
  const own = Object.entries({ insecureNoAuth, dir, json }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(own), flags: flagLayer(command) };
}

const PLAIN: (readonly string[])[] = [
  [],
  ["--port", "0", "--json"],
  ["--port=7000", "--host=::1", "--insecure-no-auth"],
  ["--root", "/a", "--root=/b,c", "--cors", "https://a.example"],
  ["--no-known-agents", "--no-native", "--sync", "disk", "--dir", "/tmp"],
  ["--token", "secret"],
  ["--token-file=a=b"],
  ["--agent", "acp:gemini --acp", "--idle-close", "5m", "--opencode-ports", "4200"],
];

/** Lines that commander must judge. */
const ODD: (readonly string[])[] = [
  ["-h"],
  ["--help"],
  ["--prot", "1"],
  ["--port"],
  ["--port", "x"],
  ["--port", "-1"],
  ["--port=1", "--port=2"],
  ["--port="],
  ["--host", ""],
  ["--json=1"],
  ["--sync", "never"],
  ["--", "--json"],
  ["here"],
  ["--token", "a", "--token-file", "b"],
  ["--token", "a", "--insecure-no-auth"],
  ["--known-agents"],
  ["--no-json"],
  ["--database", "mysql://x"],
  ["--__proto__", "1"],
];

describe("the flags of serve without commander", () => {
  for (const argv of PLAIN) {
    test(`${argv.join(" ") || "none"}: as commander has it`, () => {
      const quick = serveOptions(argv);
      assert.ok(quick, "expected the line to be read");
      assert.deepEqual(quick, byCommander("serve", argv));
    });
  }

  for (const argv of ODD) {
    test(`${argv.join(" ")}: commander reads it`, () => assert.equal(serveOptions(argv), undefined));
  }

  test("of any line, either the same as by commander or nothing", () => {
    const flags = Object.values(SETTINGS).flatMap((one) => ("flag" in one ? [one.flag.split(" ", 1)[0] ?? ""] : []));
    const value = fc.constantFrom(
      "0",
      "80",
      "1s",
      "5m",
      "true",
      "deny",
      "disk",
      "a,b",
      "/x",
      "http://h",
      "",
      "-x",
      "found",
    );
    const flag = fc.constantFrom(...flags, "--dir", "--json", "--insecure-no-auth", "--no", "-p", "--");
    const word = fc.oneof(
      flag,
      value,
      fc.tuple(flag, value).map(([name, text]) => `${name}=${text}`),
    );
    const pair = fc.tuple(flag, value).map((both): string[] => [...both]);
    const line = fc
      .array(
        fc.oneof(
          pair,
          word.map((one) => [one]),
        ),
        { maxLength: 5 },
      )
      .map((parts) => parts.flat());
    let read = 0;
    const same = (argv: string[]): void => {
      const quick = serveOptions(argv);
      if (quick === undefined) return;
      read += 1;
      assert.deepEqual(quick, byCommander("serve", argv));
    };
    fc.assert(fc.property(line, same), { numRuns: 2_000 });
    assert.ok(read > 50, `expected many lines to be read, got ${read}`);
  });
});

describe("the flags of acp without commander", () => {
  for (const argv of [[], ["--agent", "claude"], ["--data-dir=/x", "--token-file", "t"], ["--token", "a"]]) {
    test(`${argv.join(" ") || "none"}: as commander has it`, () => {
      assert.deepEqual(acpFlags(argv), { ...byCommander("acp", argv) });
    });
  }

  for (const argv of [["--token", "a", "--token-file", "b"], ["--port", "1"], ["--agent"], ["--help"]]) {
    test(`${argv.join(" ")}: commander reads it`, () => assert.equal(acpFlags(argv), undefined));
  }
});
