import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Want } from "../../../../src/agents/opencode/decode/state.ts";
import { Translator } from "../../../../src/agents/opencode/decode/translator.ts";

const ROOT = "ses_root";
const wordOf = (session: string): object => ({
  type: "message.updated",
  properties: { sessionID: session, info: { id: "msg_1", role: "user", sessionID: session } },
});

/** The sessions that an event of a session has looked up. */
function looked(translator: Translator, session: string): string[] {
  const isLook = (want: Want): boolean => want.type === "session";
  return translator
    .event(wordOf(session) as never)
    .wants.filter(isLook)
    .map((want) => want.session);
}

describe("a session that nobody knows", () => {
  const make = (): Translator => new Translator({ root: ROOT, directory: "/work" });

  test("is looked up once while nothing is known of it", () => {
    const translator = make();
    assert.deepEqual(looked(translator, "ses_a"), ["ses_a"]);
    assert.deepEqual(looked(translator, "ses_a"), []);
  });

  test("of another client is never looked up again", () => {
    const translator = make();
    looked(translator, "ses_a");
    translator.found("ses_a", { id: "ses_a" });
    assert.deepEqual(looked(translator, "ses_a"), []);
  });

  test("that the program does not know is never looked up again", () => {
    const translator = make();
    looked(translator, "ses_a");
    translator.found("ses_a", {});
    assert.deepEqual(looked(translator, "ses_a"), []);
  });

  test("is looked up again where the program could not be asked", () => {
    const translator = make();
    looked(translator, "ses_a");
    translator.found("ses_a", undefined);
    assert.deepEqual(looked(translator, "ses_a"), ["ses_a"]);
    translator.found("ses_a", { id: "ses_a", parentID: ROOT });
    assert.ok(translator.branches.has("ses_a"));
  });

  test("that is a sub-agent of another client is looked up until that is known, and no longer", () => {
    const translator = make();
    looked(translator, "ses_child");
    const { wants } = translator.found("ses_child", { id: "ses_child", parentID: "ses_other" });
    assert.deepEqual(wants, [{ type: "session", session: "ses_other" }]);
    translator.found("ses_other", { id: "ses_other" });
    assert.deepEqual(looked(translator, "ses_child"), ["ses_child"]);
    translator.found("ses_child", { id: "ses_child", parentID: "ses_other" });
    for (const _ of [1, 2, 3]) assert.deepEqual(looked(translator, "ses_child"), []);
  });

  test("that is a sub-agent of a sub-agent is found with its parent", () => {
    const translator = make();
    looked(translator, "ses_grand");
    translator.found("ses_grand", { id: "ses_grand", parentID: "ses_child" });
    translator.found("ses_child", { id: "ses_child", parentID: ROOT });
    assert.deepEqual(looked(translator, "ses_grand"), ["ses_grand"]);
    translator.found("ses_grand", { id: "ses_grand", parentID: "ses_child" });
    assert.deepEqual([...translator.branches.keys()], [ROOT, "ses_child", "ses_grand"]);
    assert.ok(translator.isComing("ses_grand"));
    assert.ok(!translator.isComing(ROOT) && !translator.isComing("ses_x"));
  });
});
