import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hrefOf, parseRoute, type Route, SESSION_TABS } from "../../web/model/route.ts";

const at = (href: string): Route => parseRoute(new URL(href, "http://parley.test"));

test("addresses name pages", () => {
  const cases: [string, Route][] = [
    ["/console", { page: "home" }],
    ["/console/", { page: "home" }],
    ["/console/inbox", { page: "inbox" }],
    ["/console/search?q=two+words", { page: "search", query: "two words" }],
    ["/console/new?directory=%2Fhome%2Fme", { page: "new", directory: "/home/me" }],
    ["/console/s/ses_1", { page: "session", session: "ses_1", tab: "transcript" }],
    ["/console/s/ses_1/events#42", { page: "session", session: "ses_1", tab: "events", seq: 42 }],
    ["/console/s/ses_1/changes?turn=trn_2", { page: "session", session: "ses_1", tab: "changes", turn: "trn_2" }],
    ["/console/s/ses_1#no-number", { page: "session", session: "ses_1", tab: "transcript" }],
    ["/console/s/%E0%A4%A", { page: "missing" }],
    ["/console/s/ses_1/nothing", { page: "missing" }],
    ["/console/s/", { page: "missing" }],
    ["/console/inbox/more", { page: "missing" }],
    ["/elsewhere", { page: "missing" }],
  ];
  for (const [href, route] of cases) assert.deepEqual(at(href), route, href);
});

test("every page's address leads to that page", () => {
  const text = fc.string({ minLength: 1, unit: "grapheme" });
  const session = fc.record(
    {
      page: fc.constant("session" as const),
      session: text.filter((id) => !/^\.{1,2}$/.test(id)),
      tab: fc.constantFrom(...SESSION_TABS),
      turn: text,
      seq: fc.integer({ min: 1 }),
    },
    { requiredKeys: ["page", "session", "tab"], noNullPrototype: true },
  );
  fc.assert(fc.property(session, (route) => assert.deepEqual(at(hrefOf(route)), route)));
  const query = fc.record(
    { page: fc.constant("search" as const), query: fc.string({ unit: "grapheme" }) },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(query, (route) => assert.deepEqual(at(hrefOf(route)), route)));
});
