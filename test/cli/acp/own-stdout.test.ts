import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";

const MODULE = new URL("../../../src/cli/acp/own-stdout.ts", import.meta.url).href;

/** A program that has taken its stdout. */
function program(body: string) {
  const script = `import { takeStdout } from ${JSON.stringify(MODULE)}; const write = takeStdout(); ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return { child, said: () => said };
}

/** Short lines, lines that no pipe takes at once, and letters of several bytes. */
const LINES = `
  const lengths = [3, 700, 2, 1365, 90000, 5, 1366, 4];
  for (let n = 0; n < 800; n++) write(\`\${n} \${"äx€".repeat(lengths[n % lengths.length])}\\n\`, (error) => {
    if (error) { console.log("failed", error.code); process.exit(3); }
  });
  console.log("all were given");
`;

test("all lines come whole and in order to a reader that begins late, and what others print goes to stderr", async () => {
  const { child } = program(LINES);
  await once(child.stderr, "data");
  const numbers: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [number = "", text = ""] = line.split(" ");
    numbers.push(Number(number));
    assert.equal(text.replaceAll("äx€", ""), "", `line ${number} is whole`);
  }
  assert.deepEqual(numbers, [...Array(800).keys()]);
});

test("a reader that is gone is told by the write", async () => {
  const { child, said } = program(`
    process.stdout.on("error", () => {});
    const again = () => write("short\\n", (error) => {
      if (error) { console.log("failed", error.code); process.exit(3); }
      setImmediate(again);
    });
    again();
  `);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  assert.deepEqual([code, said().trim()], [3, "failed EPIPE"]);
});
