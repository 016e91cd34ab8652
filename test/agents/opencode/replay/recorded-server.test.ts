import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Fields, isFields } from "../../../../src/core/json/fields.ts";
import { type Kept, RecordedServer } from "./recorded-server.ts";
import { recordings, restAfter } from "./recordings.ts";

/** Facts that the program keeps and tells otherwise: the time of a part's end, and the totals of files. */
const partFacts = ({ id, type, text, tool, callID, state }: Fields): Fields => ({
  id,
  type,
  text,
  tool,
  callID,
  state,
});
const facts = ({ info, parts }: Kept): Fields => ({
  id: info.id,
  role: info.role,
  finish: info.finish,
  error: info.error,
  tokens: info.tokens,
  time: info.time,
  parts: parts.map(partFacts),
});

describe("the state that events tell is the state that the REST API tells", () => {
  for (const name of recordings.names()) {
    const rest = restAfter(name);
    if (!rest || !Array.isArray(rest.messages)) continue;
    test(name, () => {
      const server = new RecordedServer();
      for (const { dir, line } of recordings.read(name)) if (dir === "out" && isFields(line)) server.apply(line);
      const id = String(rest.session.id);
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      assert.deepEqual(plain(server.messages(id).map(facts)), plain(rest.messages.map(facts)));
      assert.deepEqual(server.asks("permission"), rest.permissions);
      if (rest.questions) assert.deepEqual(server.asks("question"), rest.questions);
      if (rest.todo) assert.deepEqual(server.todos(id), rest.todo);
      assert.equal(server.status(id), rest.status[id]);
      const children = rest.children ?? server.children(id);
      assert.deepEqual(
        server.children(id).map((child) => child.id),
        children.map((child) => child.id),
      );
      for (const [child, messages] of Object.entries(rest.childMessages ?? {}))
        assert.deepEqual(plain(server.messages(child).map(facts)), plain(messages.map(facts)));
    });
  }
});
