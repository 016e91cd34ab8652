import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Closers } from "../../support/closers.ts";
import { type Cleanup, startServer, type TestServer } from "../../support/server.ts";
import { stage } from "./stage.ts";
import { connectV2 } from "./v2-stage.ts";

/** A page has a hundred. Ids of newer sessions sort before those of older ones. */
const SESSIONS = 203;

interface Page {
  sessions: { sessionId: string; cwd: string }[];
  nextCursor?: string | null | undefined;
}

type List = (asked: { cwd: string; cursor?: string }) => Promise<Page>;

describe("a list of more sessions than a page has", () => {
  const closers = new Closers();
  let server: TestServer;
  let cwd: string;
  let made: string[];
  before(async () => {
    server = await startServer(closers);
    cwd = join(server.directory, "many");
    await mkdir(cwd);
    await server.api.create();
    made = await Promise.all(
      Array.from({ length: SESSIONS }, async () => (await server.api.create({ directory: cwd })).id),
    );
    await server.api.create();
  });
  after(() => closers.close());

  const listOf = {
    1: async (t: Cleanup): Promise<List> => {
      const { agent } = await stage(t, { server });
      return (asked) => agent.request("session/list", asked);
    },
    2: async (t: Cleanup): Promise<List> => {
      const { agent } = await connectV2(t, server);
      return (asked) => agent.request("session/list", asked);
    },
  };
  /** Follows each cursor. */
  async function pagesOf(list: List): Promise<Page[]> {
    const pages: Page[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list({ cwd, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(page);
      if (page.nextCursor === undefined || page.nextCursor === null) return pages;
      cursor = page.nextCursor;
    }
  }

  for (const version of [1, 2] as const)
    test(`LIST-001 LIST-002 is told page by page, each session once, newest first: version ${version}`, async (t) => {
      const pages = await pagesOf(await listOf[version](t));
      assert.deepEqual(
        pages.map(({ sessions }) => sessions.length),
        [100, 100, 3],
      );
      const listed = pages.flatMap(({ sessions }) => sessions);
      assert.ok(listed.every((one) => one.cwd === cwd));
      assert.deepEqual(
        listed.map(({ sessionId }) => sessionId),
        made.toSorted(),
      );
    });
});
