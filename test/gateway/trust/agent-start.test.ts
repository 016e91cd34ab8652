import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TrustStore } from "../../../src/server/trust/trust-store.ts";
import { temporary } from "../../support/server.ts";
import { answering } from "../fake-agent.ts";
import { ended, type Rig, rig, text } from "../rig.ts";

interface TrustRig extends Rig {
  store: TrustStore;
  work: string;
  session: string;
  /** Gives a prompt and resolves when its turn is over. */
  turn(): Promise<void>;
  notes(): Promise<string[]>;
}

const LOOK_MS = 2_000;

/** A project whose settings are looked for and never found; resolves when somebody looks. */
function neverLookedThrough(fake: Rig["fake"]): Promise<void> {
  return new Promise((resolve) => {
    fake.projectSettings = () => {
      resolve();
      return new Promise(() => {});
    };
  });
}

async function trustRig(t: TestContext): Promise<TrustRig> {
  const work = await temporary(t);
  const store = new TrustStore({ file: join(await temporary(t), "trusted"), configured: [] });
  const made = await rig(t, { trust: store });
  made.fake.onPrompt = answering;
  made.fake.settings = [{ path: ".fake.json", keys: ["hooks.start"] }];
  const { id: session } = await made.gateway.create({ directory: work });
  return {
    ...made,
    store,
    work,
    session,
    async turn() {
      const { turn } = await made.gateway.prompt(session, text("hello"));
      await made.until(session, (event) => ended(event) && event.turn === turn);
    },
    async notes() {
      return (await made.assertLawful(session)).flatMap((event) => {
        if (event.type !== "item.completed" || event.data.item.kind !== "status") return [];
        const { code, level, text: said } = event.data.item;
        return [`${level} ${code}: ${said}`];
      });
    },
  };
}

test("an agent in a directory that is not trusted is told so, and the session says what is left out and what to do", async (t) => {
  const { turn, fake, notes, work } = await trustRig(t);
  await turn();
  assert.equal(fake.last.options.trusted, false);
  const [note, ...more] = await notes();
  const words = "The agent runs without this project's own settings, because the directory is not trusted";
  assert.equal(note, `warn untrusted_project: ${words}: .fake.json (hooks.start). To use them: parley trust ${work}`);
  assert.deepEqual(more, []);
});

test("the note comes before the agent's words, and once as long as nothing changes", async (t) => {
  const { turn, fake, notes, assertLawful, session } = await trustRig(t);
  await turn();
  await turn();
  assert.equal((await notes()).length, 1);
  const items = (await assertLawful(session)).flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind !== "reasoning" ? [event.data.item] : [],
  );
  const kinds = items.map((item) => (item.kind === "message" ? item.role : item.kind));
  assert.ok(kinds.indexOf("status") < kinds.indexOf("assistant"), kinds.join(" "));
  fake.last.exit(0);
  await turn();
  assert.equal(fake.starts.length, 2);
  assert.equal((await notes()).length, 1, "said again by another start");
  fake.last.exit(0);
  fake.settings = [...fake.settings, { path: "more.json" }];
  await turn();
  assert.equal((await notes()).length, 2);
});

test("trust that comes, and trust that goes, starts the agent anew with the next prompt, and its session goes on", async (t) => {
  const { turn, fake, notes, store, work } = await trustRig(t);
  await turn();
  store.add(work);
  await turn();
  await turn();
  assert.deepEqual(
    fake.starts.map(({ options, gone }) => [options.trusted, options.resume, gone]),
    [
      [false, undefined, true],
      [true, "native-1", false],
    ],
  );
  store.remove(work);
  await turn();
  assert.deepEqual([fake.last.options.trusted, fake.starts.length], [false, 3]);
  assert.equal((await notes()).length, 2, "said again when the trust has gone");
});

test("a trusted directory, and one that brings nothing, are not spoken of", async (t) => {
  const { turn, fake, notes, store, work } = await trustRig(t);
  fake.settings = [];
  await turn();
  store.add(work);
  fake.settings = [{ path: "x" }];
  await turn();
  assert.equal(fake.last.options.trusted, true);
  assert.deepEqual(await notes(), []);
});

test("a project that cannot be looked through does not hold up its turn", async (t) => {
  const { turn, fake, notes } = await trustRig(t);
  const looking = neverLookedThrough(fake);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const over = turn();
  await looking;
  t.mock.timers.tick(LOOK_MS);
  t.mock.timers.reset();
  await over;
  assert.match((await notes()).join(), /its settings could not be read/);
});

test("a cancel while the project is looked through ends the turn", async (t) => {
  const { fake, gateway, session, until, assertLawful } = await trustRig(t);
  const looking = neverLookedThrough(fake);
  await gateway.prompt(session, text("hello"));
  await looking;
  await gateway.cancel(session, { queue: "clear" });
  const end = await until(session, ended);
  assert.equal(end.type === "turn.ended" && end.data.reason, "cancelled");
  await assertLawful(session);
});

test("what a cancelled turn did not come to say is said by the next", async (t) => {
  const { fake, gateway, session, turn, notes } = await trustRig(t);
  const looking = Promise.withResolvers<void>();
  const { settings } = fake;
  fake.projectSettings = async () => {
    looking.resolve();
    await gateway.cancel(session, { queue: "clear" });
    return settings;
  };
  const { turn: first } = await gateway.prompt(session, text("hello"));
  await looking.promise;
  await gateway.ended(session, first ?? "");
  fake.projectSettings = async () => settings;
  await turn();
  assert.equal((await notes()).length, 1);
});

test("an agent that exits before it has the prompt is started once more, and no third time", async (t) => {
  const { fake, gateway, session, until } = await trustRig(t);
  let exits = 1;
  fake.projectSettings = async () => {
    if (exits-- > 0) fake.last.exit(1);
    return [];
  };
  const reasonOf = async (): Promise<string> => {
    const { turn } = await gateway.prompt(session, text("hello"));
    const event = await until(session, (one) => ended(one) && one.turn === turn);
    return event.type === "turn.ended" ? event.data.reason : "";
  };
  assert.equal(await reasonOf(), "end_turn");
  assert.equal(fake.starts.length, 2);
  fake.last.exit(1);
  exits = 5;
  assert.equal(await reasonOf(), "error");
  assert.equal(fake.starts.length, 4);
});
