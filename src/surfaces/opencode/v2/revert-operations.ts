import { z } from "zod";
import { isParleyError } from "../../../core/errors.ts";
import { revertOf } from "../../../core/ledger/revert.ts";
import type { Surface } from "../context.ts";
import { type Operation, post } from "../operation.ts";
import { noMessage } from "./message-operations.ts";
import { revertState } from "./next/revert-state.ts";

const stageBody = z.looseObject({ messageID: z.string(), files: z.boolean().optional() });
const path = "/api/session/{sessionID}";

const STAGE = "whole turns, with the prompt that began them; 409 names a file that was changed since";

/** Reverts and summaries in the newer form. */
export function v2RevertOperations({ gateway }: Surface): Operation[] {
  return [
    post(
      `${path}/revert/stage`,
      "v2.session.revert.stage",
      { note: STAGE, body: stageBody },
      async ({ params: { sessionID }, body: { messageID, files = true } }) => {
        try {
          const { meta } = await gateway.work.revert(sessionID, { messageID, ...(files ? {} : { keepFiles: true }) });
          const revert = revertOf(meta);
          return { data: revert ? revertState(revert) : { messageID } };
        } catch (error) {
          if (isParleyError(error) && error.code === "not_found") throw noMessage(sessionID, messageID);
          throw error;
        }
      },
    ),
    post(`${path}/revert/clear`, "v2.session.revert.clear", { status: 204 }, async ({ params: { sessionID } }) => {
      const { meta } = await gateway.get(sessionID);
      if (revertOf(meta)) await gateway.work.unrevert(sessionID);
    }),
    post(`${path}/revert/commit`, "v2.session.revert.commit", { status: 204 }, async ({ params: { sessionID } }) => {
      await gateway.work.commitRevert(sessionID);
    }),
    post(
      `${path}/compact`,
      "v2.session.compact",
      { note: "native: 503. Answers when the summary is asked for; `compaction.ended` tells it", status: 204 },
      async ({ params: { sessionID } }) => {
        await gateway.work.compact(sessionID);
      },
    ),
  ];
}
