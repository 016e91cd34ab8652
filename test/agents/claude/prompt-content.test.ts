import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Content } from "../../../src/agents/claude/commands.ts";
import { promptContent } from "../../../src/agents/claude/prompt-content.ts";
import { tempDirectory } from "../../host/support.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
const url = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;
const file = (fields: object) => ({ type: "file" as const, ...fields });
const kinds = (content: Content[]): string[] =>
  content.map((one) => (one.type === "text" ? one.text : `${one.type} ${one.source.media_type}`));

test("pictures come first, by what they are and not by what they are called; the text is one, and last", async (t) => {
  const directory = await tempDirectory(t);
  writeFileSync(join(directory, "dot.jpg"), PNG);
  const parts = [
    { type: "text" as const, text: "look" },
    file({ path: "dot.jpg" }),
    file({ url: url("application/pdf", Buffer.from("%PDF-1.4")), name: "a.pdf" }),
    file({ path: "src/main.ts" }),
    file({ path: "with space.md" }),
  ];
  assert.deepEqual(kinds(await promptContent(parts, directory)), [
    "image image/png",
    "document application/pdf",
    'look\n\n@src/main.ts\n\n@"with space.md"',
  ]);
});

test("a file that cannot be shown is named, and nothing throws", async (t) => {
  const directory = await tempDirectory(t);
  const told = async (fields: object): Promise<string> => kinds(await promptContent([file(fields)], directory)).join();
  assert.match(
    await told({ url: url("image/png", Buffer.from([0, 1, 2])), name: "x" }),
    /attached x: 3 bytes, neither/,
  );
  assert.match(await told({ url: "data:text/plain,hello%20you", name: "n.txt" }), /^n\.txt:\nhello you$/);
  assert.equal(await told({ url: "data:text/plain,%zz", name: "n" }), "n:\n%zz");
  assert.match(await told({ url: "https://example.invalid/a.png", name: "n" }), /no data: URL; it was not read/);
  assert.match(await told({ path: "none.png" }), /does not exist/);
  assert.match(await told({ path: "../../etc/x.png" }), /could not be read/);
  const large = Buffer.concat([PNG, Buffer.alloc(4_000_000)]);
  assert.match(await told({ url: url("image/png", large), name: "big" }), /too large/);
  const [lone] = await promptContent([{ type: "text", text: "\ud800" }], directory);
  assert.deepEqual(lone, { type: "text", text: "\ufffd" });
});
