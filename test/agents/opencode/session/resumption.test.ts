import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ResumeLost } from "../../../../src/agents/contract.ts";
import { copyAt, openingOf } from "../../../../src/agents/opencode/resumption.ts";

describe("the id by which a session is resumed", () => {
  for (const [resume, point, copy] of [
    ["ses_1", "msg_2", "ses_1@msg_2"],
    ["ses_1", undefined, "ses_1@"],
    ["ses_1@msg_2", "msg_3", "ses_1@msg_3"],
    ["ses_1@", "msg_3", "ses_1@msg_3"],
  ] as const)
    test(`a copy of ${resume} up to ${point} is ${copy}`, () => assert.equal(copyAt(resume, point), copy));

  for (const [resume, opening] of [
    [undefined, { how: "new" }],
    ["ses_1", { how: "resume", session: "ses_1" }],
    ["ses_1@msg_2", { how: "copy", session: "ses_1", message: "msg_2" }],
    ["ses_1@", { how: "new" }],
  ] as const)
    test(`${resume} is opened: ${opening.how}`, () => assert.deepEqual(openingOf(resume), opening));

  for (const resume of ["", "abc", "ses_", "thread-1", "ses_1/../x", "ses_1@prt_2", "ses_1@msg_2@msg_3", "ses_1\n"])
    test(`${JSON.stringify(resume)} is not one of the program's`, () =>
      assert.throws(() => openingOf(resume), ResumeLost));
});
