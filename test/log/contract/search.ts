import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../../../src/core/events/event.ts";
import { readQuery } from "../../../src/core/search/query.ts";
import type { Log } from "../../../src/log/contract.ts";
import type { SearchHit, SearchQuery } from "../../../src/log/search/contract.ts";
import { eventually } from "../../support/eventually.ts";
import { drafts, entries } from "../drafts.ts";
import { inPlace, type LogPlace, type MakePlace } from "../place.ts";
import { append, create, createWith, prune, remove } from "../writers.ts";

type Filters = Partial<Omit<SearchQuery, "sought">>;

/** All hits, page by page. */
async function hitsOf(log: Pick<Log, "search">, words: string, filters: Filters = {}): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let before: number | undefined; ; ) {
    const page = await log.search({ sought: readQuery(words), limit: 50, ...filters, before });
    hits.push(...page.hits);
    if (page.next === null) return hits;
    assert.ok(before === undefined || page.next < before, "each page goes further back");
    before = page.next;
  }
}

/** Where hits are, the newest first. */
async function places(log: Pick<Log, "search">, words: string, filters: Filters = {}): Promise<string[]> {
  return (await hitsOf(log, words, filters)).map(({ session, seq }) => `${session}:${seq}`);
}

/** All stored events are in the index: hits come from there. */
async function indexed(log: Log, place: LogPlace): Promise<void> {
  const position = await log.position();
  await eventually(
    "the index to end where the log does",
    async () => ((await place.indexedTo()) ?? position) >= position,
  );
}

/** A log, and the way to wait for its index. */
async function withIndex(
  makePlace: MakePlace,
  run: (log: Log, settled: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await inPlace(makePlace, async (place) => {
    const log = await place.open();
    try {
      await run(log, () => indexed(log, place));
    } finally {
      await log.close();
    }
  });
}

const call = (id: string, name: string, input: unknown): Draft => ({
  type: "item.completed",
  turn: "trn_1",
  time: 5,
  source: "agent",
  data: { item: { id, kind: "tool_call", status: "completed", call: id, name, input } },
});

const cut = (from: number): Draft => ({
  type: "history.cut",
  time: 9,
  source: "parley",
  data: { turns: ["trn_1"], from, messages: [] },
});

export function searchContract(makePlace: MakePlace): void {
  test("a search finds what was said in all sessions, the newest first, as soon as it is stored", async () => {
    await withIndex(makePlace, async (log, settled) => {
      await create(log, "ses_a", drafts.completed("prt_1", "The quick brown fox"));
      await create(log, "ses_b", drafts.delta("prt_2", "fox"), drafts.completed("prt_2", "Foxes are quick"));
      await append(log, "ses_a", entries(drafts.completed("prt_3", "a slow fox")));
      for (const when of ["before", "after"]) {
        if (when === "after") await settled();
        assert.deepEqual(await places(log, "fox "), ["ses_a:3", "ses_a:2"]);
        assert.deepEqual(await places(log, "fox"), ["ses_a:3", "ses_b:3", "ses_a:2"], "a word that may go on");
        assert.deepEqual(await places(log, "QUICK"), ["ses_b:3", "ses_a:2"]);
        assert.deepEqual(await places(log, "-brown quick"), ["ses_b:3"]);
        assert.deepEqual(await places(log, '"brown fox"'), ["ses_a:2"]);
        assert.deepEqual(await places(log, '"fox brown"'), []);
        assert.deepEqual(await places(log, ""), []);
      }
      const [hit] = await hitsOf(log, "slow");
      assert.deepEqual(
        { ...hit, position: 0 },
        {
          session: "ses_a",
          seq: 3,
          position: 0,
          item: "prt_3",
          kind: "message",
          role: "assistant",
          time: 5,
          agent: "scripted",
          directory: "/project",
          snippet: [
            { text: "a ", hit: false },
            { text: "slow", hit: true },
            { text: " fox", hit: false },
          ],
        },
      );
    });
  });

  test("names, paths and scripts without spaces are found by their parts", async () => {
    await withIndex(makePlace, async (log, settled) => {
      await create(
        log,
        "ses_a",
        call("prt_1", "edit", { path: "src/log/contract.ts", text: "getUserName foo_bar ses_01AbC" }),
        drafts.completed("prt_2", "Café \u0000 漢字を検索する \ud800 end"),
      );
      const here = ["ses_a:2"];
      await settled();
      for (const words of [
        "src/log/contract.ts",
        "contract.ts",
        "getUserName",
        "username",
        "user ",
        "foo_bar",
        "ses_01abc",
      ])
        assert.deepEqual(await places(log, words), here, words);
      for (const words of ["cafe", "CAFÉ", "検索", '"漢字を"', "end"])
        assert.deepEqual(await places(log, words), ["ses_a:3"], words);
      assert.deepEqual(await places(log, "索検"), []);
    });
  });

  test("filters narrow a search: session with sub-agents, directory, agent, kind", async () => {
    await withIndex(makePlace, async (log, settled) => {
      const said = (id: string) => drafts.completed(id, "needle");
      await create(log, "ses_a", said("prt_1"), call("prt_2", "needle", {}));
      await createWith(
        log,
        { id: "ses_b", parent: "ses_a", root: "ses_a" },
        entries(drafts.started("/project"), said("prt_3")),
      );
      await createWith(
        log,
        { id: "ses_c", parent: "ses_b", root: "ses_a" },
        entries(drafts.started("/other"), said("prt_4")),
      );
      await create(log, "ses_d", drafts.updated("needle"), said("prt_5"));
      for (const when of ["before", "after"]) {
        assert.deepEqual(await places(log, "needle", { session: "ses_a" }), [
          "ses_c:2",
          "ses_b:2",
          "ses_a:3",
          "ses_a:2",
        ]);
        assert.deepEqual(await places(log, "needle", { session: "ses_b" }), ["ses_c:2", "ses_b:2"]);
        assert.deepEqual(await places(log, "needle", { directory: "/other" }), ["ses_c:2"]);
        assert.deepEqual(await places(log, "needle", { kind: "tool_call" }), ["ses_a:3"]);
        assert.deepEqual(await places(log, "needle", { kind: "title" }), ["ses_d:2"]);
        assert.deepEqual(await places(log, "needle", { agent: "scripted", session: "ses_d" }), ["ses_d:3", "ses_d:2"]);
        assert.deepEqual(await places(log, "needle", { agent: "other" }), []);
        assert.deepEqual(await places(log, "needle", { session: "ses_none" }), []);
        if (when === "before") await settled();
      }
    });
  });

  test("turns that were cut, titles that were replaced and forgotten events are not found", async () => {
    await withIndex(makePlace, async (log, settled) => {
      await create(log, "ses_a", drafts.updated("needle one"), drafts.turnStarted("trn_1"));
      await append(log, "ses_a", entries(drafts.completed("prt_1", "needle"), drafts.turnEnded("trn_1")));
      assert.deepEqual(await places(log, "needle"), ["ses_a:4", "ses_a:2"]);
      await settled();
      await append(log, "ses_a", entries(drafts.updated("other"), cut(3)));
      assert.deepEqual(await places(log, "needle"), []);

      await create(log, "ses_b", drafts.turnStarted("trn_1"), drafts.completed("prt_1", "thread"));
      await append(log, "ses_b", entries(drafts.turnEnded("trn_1"), drafts.turnStarted("trn_2")));
      await append(log, "ses_b", entries(drafts.completed("prt_2", "thread"), drafts.turnEnded("trn_2")));
      await create(log, "ses_c", drafts.completed("prt_1", "thread"));
      await settled();
      assert.deepEqual(await places(log, "thread"), ["ses_c:2", "ses_b:6", "ses_b:3"]);
      await prune(log, "ses_b", 5);
      await append(log, "ses_c", entries(drafts.ended("deleted")));
      await remove(log, "ses_c");
      assert.deepEqual(await places(log, "thread"), ["ses_b:6"]);
    });
  });

  test("pages follow on each other, also where the index begins", async () => {
    await inPlace(makePlace, async (place) => {
      const before = await place.open();
      const list = Array.from({ length: 120 }, (_, n) => drafts.completed(`prt_${n}`, `needle ${n % 3}`));
      await create(before, "ses_a", ...list);
      await indexed(before, place);
      await before.close();
      const log = await place.open();
      await append(log, "ses_a", entries(...list.slice(0, 30)));
      const expected = Array.from({ length: 150 }, (_, n) => `ses_a:${151 - n}`);
      for (const limit of [1, 7, 200]) assert.deepEqual(await places(log, "needle", { limit }), expected, `${limit}`);
      assert.equal((await places(log, "needle 2", { limit: 9 })).length, 50);
      await log.close();
    });
  });

  test("any text is a query", async () => {
    await withIndex(makePlace, async (log, settled) => {
      await create(log, "ses_a", drafts.completed("prt_1", "near the end of a text"));
      await settled();
      const odd = [
        '"',
        '"a',
        "*",
        "a*",
        "NEAR(a b)",
        "NEAR(",
        "AND",
        "a AND",
        "OR OR",
        "(",
        ")",
        "a:b",
        "terms:a",
        "^a",
      ];
      odd.push(
        "'",
        "''",
        "\\",
        "a & b | !c",
        "<->",
        "\0",
        "a\0b",
        "\ud800",
        "🎉",
        "漢",
        "⑴",
        "½",
        "-",
        "--",
        "-a",
        "x ".repeat(5_000),
      );
      for (const words of odd)
        assert.ok(Array.isArray((await log.search({ sought: readQuery(words), limit: 5 })).hits), words);
      assert.deepEqual(await places(log, 'NEAR( "the end'), ["ses_a:2"]);
    });
  });
}
