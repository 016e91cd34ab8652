import assert from "node:assert/strict";
import { test } from "node:test";
import { Translator } from "../../../src/agents/opencode/decode/translator.ts";

const ROOT = "ses_root";

/** A turn at work. */
function working(): Translator {
  const translator = new Translator({ root: ROOT, directory: "/project" });
  translator.prompt("msg_1");
  translator.learnStatus(ROOT, { type: "busy" });
  return translator;
}

test("calls are made in a turn that is open, and in none that is being stopped or refused", () => {
  const translator = working();
  assert.equal(translator.mayCall(ROOT), true);
  translator.event({ type: "session.created", properties: { info: { id: "ses_child", parentID: ROOT } } });
  translator.learn("ses_child", [{ info: { id: "msg_2", sessionID: "ses_child", role: "assistant" }, parts: [] }]);
  assert.equal(translator.mayCall("ses_child"), true);
  translator.stopped();
  assert.deepEqual([translator.mayCall(ROOT), translator.mayCall("ses_child")], [false, false]);
  const refused = working();
  refused.refused(ROOT);
  assert.equal(refused.mayCall(ROOT), false);
  assert.equal(new Translator({ root: ROOT, directory: "/project" }).mayCall(ROOT), false);
});
