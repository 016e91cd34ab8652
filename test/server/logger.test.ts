import assert from "node:assert/strict";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readableLine } from "../../src/server/logging/log-line.ts";
import { createLogger, type LoggerOptions, type ServerLogger } from "../../src/server/logging/logger.ts";

const root = mkdtempSync(join(tmpdir(), "parley-log-"));
after(() => rmSync(root, { recursive: true }));
let files = 0;

async function written(
  options: Partial<LoggerOptions>,
  run: (log: ServerLogger) => void | Promise<void>,
): Promise<string> {
  const path = join(root, `${files++}.log`);
  const fd = openSync(path, "w");
  const log = createLogger({ level: "info", readable: false, fd, ...options });
  await run(log);
  await log.flush();
  closeSync(fd);
  return readFileSync(path, "utf8");
}

const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("lines are JSON, in order, with the fields of their loggers", async () => {
  const before = Date.now();
  const text = await written({}, async (log) => {
    const child = log.child({ session: "ses_1" }).child({ turn: "trn_1" });
    log.info({ a: 1 }, "early");
    child.warn({}, "early too");
    log.debug({}, "not asked for");
    child.error({ err: new Error("broken") }, "late");
  });
  const [early, child, late, ...rest] = lines(text);
  assert.deepEqual({ ...early, time: 0 }, { level: "info", time: 0, a: 1, msg: "early" });
  assert.ok(Number(early?.time) >= before && Number(early?.time) <= Number(late?.time));
  assert.deepEqual(
    { ...child, time: 0 },
    { level: "warn", time: 0, session: "ses_1", turn: "trn_1", msg: "early too" },
  );
  assert.match(JSON.stringify(late?.err), /broken.*stack.*logger\.test/);
  assert.equal(rest.length, 0);
});

test("no secret is written", async () => {
  const text = await written({ secrets: ["the-secret-token"] }, async (log) => {
    log.info({ headers: { authorization: "Bearer the-secret-token", cookie: "parley_token=xyz" } }, "the-secret-token");
    log.error({ err: new Error("at /a?auth_token=abc") }, "failed");
    log.child({ token: "the-secret-token" }).info({ authorization: "Basic dXNlcjpwYXNzd29yZA==" }, "child");
  });
  assert.equal(lines(text).length, 3);
  assert.doesNotMatch(text, /the-secret-token|xyz|abc|dXNlcjp/);
});

test("an error is written with its stack, its own fields and its causes", async () => {
  const inner = Object.assign(new Error("inner"), { code: "ENOENT" });
  const outer = new TypeError("outer", { cause: inner });
  inner.cause = outer;
  const [line] = lines(await written({}, (log) => log.error({ err: outer }, "failed")));
  const err = line?.err as { type: string; stack: string; cause: { code: string; cause: { message: string } } };
  assert.equal(err.type, "TypeError");
  assert.match(err.stack, /logger\.test/);
  assert.equal(err.cause.code, "ENOENT");
  assert.equal(err.cause.cause.message, "outer");
});

test("fields that JSON cannot hold are written as far as it can", async () => {
  const ring: Record<string, unknown> = { name: "ring" };
  ring.self = ring;
  const shared = { n: 1 };
  const text = await written({}, (log) => {
    log.info({ big: 10n, ring, both: [shared, shared], none: undefined, run: () => 1 }, "odd");
    const error = Object.assign(new Error("with a ring"), { ring, me: {} });
    error.me = error;
    log.error({ err: error, again: error }, "odd, too");
    log.error({ err: "a word" }, "thrown");
    log.info({ at: new Date(Number.NaN), toJSON: () => assert.fail("no JSON") }, "a field that throws");
  });
  const [odd, thrown, word, threw] = lines(text);
  assert.deepEqual(
    { ...odd, time: 0 },
    {
      level: "info",
      time: 0,
      big: "10",
      ring: { name: "ring", self: "[circular]" },
      both: [{ n: 1 }, { n: 1 }],
      msg: "odd",
    },
  );
  assert.match(JSON.stringify(thrown?.err), /"self":"\[circular\]".*"me":.*"with a ring"/);
  assert.equal(word?.err, "a word");
  assert.equal(threw?.msg, "a field that throws");
});

test("a person reads time, level, message, fields and stack", async () => {
  const text = await written({ readable: true }, async (log) => {
    log.info({ early: true }, "one");
    log.warn({ path: "/a b", n: 3 }, "two");
    log.error({ err: new Error("broken") }, "failed");
  });
  const [first = "", second = "", third = "", fourth = ""] = text.split("\n");
  assert.match(first, /^\d\d:\d\d:\d\d\.\d{3} info {2}one early=true$/);
  assert.match(second, /^\d\d:\d\d:\d\d\.\d{3} warn {2}two path="\/a b" n=3$/);
  assert.match(third, /error failed$/);
  assert.equal(fourth, "    Error: broken");
});

test("a person reads a request in one short line, and the id of one that was refused", () => {
  const line = (status: number): string =>
    readableLine(
      JSON.stringify({
        ...{
          level: "info",
          time: 0,
          request: "req_1",
          method: "POST",
          path: "/v1/sessions",
          status,
          ms: 203.7,
          bytes: 531,
        },
        msg: "request",
      }),
      false,
    );
  assert.equal(line(201), "00:00:00.000 info  POST /v1/sessions 201 203.7 ms\n");
  assert.equal(line(404), "00:00:00.000 info  POST /v1/sessions 404 203.7 ms request=req_1\n");
});

test("a line that is no JSON is shown as it is", () => {
  assert.equal(readableLine("plain", false), "plain");
  assert.equal(readableLine("3", false), "3");
  assert.ok(readableLine('{"level":"error","msg":"x"}', true).includes("\u001b[31merror\u001b[0m x"));
});

test("a log that cannot be written is forgotten", { skip: !existsSync("/dev/full") }, async () => {
  const fd = openSync("/dev/full", "w");
  const log = createLogger({ level: "info", readable: false, fd });
  for (let i = 0; i < 1_000; i++) log.info({ i }, "to nobody");
  await log.flush();
  log.info({}, "still to nobody");
  await log.flush();
  closeSync(fd);
});
