import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Api, ApiRefusal, isOfTheWay, isRefused } from "../../../src/agents/opencode/api.ts";
import { CUT, Otherwise, StandIn } from "./stand-in.ts";

const HTML = { "content-type": "text/html; charset=utf-8" };
const PAGE = "<html><title>502 Bad Gateway</title></html>";

async function thrownBy(api: Api, method: "GET" | "POST" = "POST"): Promise<Error> {
  return api.ask(method, "/session").then(
    () => assert.fail("it was answered"),
    (thrown: Error) => thrown,
  );
}

describe("an answer that is none of the program's", { concurrency: true }, () => {
  test("is a path that it does not know, where its web page comes", async (t) => {
    const stand = (await StandIn.open(t)).on("POST /session", new Otherwise(200, PAGE, HTML));
    const thrown = await thrownBy(stand.api());
    assert.ok(thrown instanceof ApiRefusal && isRefused(thrown) && !isOfTheWay(thrown));
    assert.match(thrown.message, /does not know \/session/);
  });

  for (const status of [502, 503, 504])
    test(`is of the way to it, where a proxy says ${status} with a page of its own`, async (t) => {
      const stand = (await StandIn.open(t)).on("POST /session", new Otherwise(status, PAGE, HTML));
      const thrown = await thrownBy(stand.api());
      assert.ok(!isRefused(thrown) && isOfTheWay(thrown), thrown.message);
      assert.equal(thrown.message, `status ${status}`);
    });

  test("is asked for again, where it only tells", async (t) => {
    const stand = await StandIn.open(t);
    let tries = 0;
    const answers = [new Otherwise(502, PAGE, HTML), CUT];
    stand.on("GET /session", () => answers[tries++] ?? [{ id: "ses_1" }]);
    assert.deepEqual(await stand.api().list("GET", "/session"), [{ id: "ses_1" }]);
  });
});
