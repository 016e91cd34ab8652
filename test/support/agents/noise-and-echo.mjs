// Says so many lines of noise (first argument) between a hundred good ones, then tells every line that it was ever told.
import { createInterface } from "node:readline";
import { finish, say, speak } from "../../fixtures/agents/wire.mjs";

const sorts = [
  "npm warn deprecated something@1.0.0",
  '{"type":"text","item":"m1","del',
  "[1,2,3]",
  "42",
  "null",
  '"a string"',
  "\u0000\u0001\u0002",
  "\u001b[31mred\u001b[0m",
  '{"type":"nothing.known"}',
  '{"type":"text","item":7,"delta":"x"}',
  `{"type":"text","item":"m1","delta":${"[".repeat(5000)}`,
  "",
  "\r",
  '{"child":{"id":7},"signal":{"type":"text"}}',
];
const heard = [];

createInterface({ input: process.stdin }).on("line", (line) => {
  heard.push(line);
  const { type } = JSON.parse(line);
  if (type === "close") process.exit(0);
  if (type === "open") {
    process.stdout.write("starting up...\n");
    say({ type: "ready" });
  }
  if (type !== "prompt") return;
  const each = Number(process.argv[2]) / 100;
  for (let good = 0; good < 100; good++) {
    for (let n = 0; n < each; n++) process.stdout.write(`${sorts[(good * each + n) % sorts.length]}\n`);
    speak(`${good} `);
  }
  say({ type: "text.done", item: "m2", kind: "message", role: "assistant", text: JSON.stringify(heard) });
  finish();
});
