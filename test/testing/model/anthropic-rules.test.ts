import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnthropic } from "../../../src/testing/model/anthropic/read.ts";

const user = { role: "user", content: "Hello." };
const assistant = (...content: object[]): object => ({ role: "assistant", content });
const use = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
const thinking = { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" };
const words = { type: "text", text: "Hello." };
const result = (id: string, more: object = {}): object => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "", ...more }],
});

const conversations: [name: string, messages: object[], refusal: RegExp | undefined][] = [
  ["thoughts before words", [user, assistant(thinking, words), user], undefined],
  ["thoughts at the end", [user, assistant(words, thinking), user], /messages\.1: the final block .* thinking/],
  ["a blank text", [user, assistant({ type: "text", text: " \n" }), user], /messages\.1: text content blocks/],
  ["a blank prompt", [{ role: "user", content: "" }, user], /messages\.0: text content blocks/],
  ["an answer first", [assistant(words), user], /first message must be the user's/],
  ["an empty result", [user, assistant(use), result("toolu_1")], undefined],
  ["an error without a word", [user, assistant(use), result("toolu_1", { is_error: true })], /cannot be empty/],
  ["an error with one", [user, assistant(use), result("toolu_1", { is_error: true, content: "no" })], undefined],
  ["an id out of the ordinary", [user, assistant({ ...use, id: "a:0" }), result("a:0")], /tool_use\.id a:0/],
  ["a name out of the ordinary", [user, assistant({ ...use, name: "a b" }), result("toolu_1")], /tool_use\.name a b/],
];

for (const [name, messages, refusal] of conversations) {
  test(`${name} is ${refusal ? "refused" : "taken"}`, () => {
    const found = readAnthropic({ messages }).refusal;
    if (refusal) assert.match(found ?? "", refusal);
    else assert.equal(found, undefined);
  });
}
