import assert from "node:assert/strict";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { forgetProject, learnProject } from "../../../src/surfaces/opencode/workspace/project.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { needsPostgres } from "../../support/postgres.ts";
import { temporary } from "../../support/server.ts";
import { PtyClient } from "../../surfaces/opencode/pty/client.ts";
import { repository } from "../../surfaces/opencode/rig.ts";
import { follow, heard, heldSession, inDirectory, knows, type Node, openNode, openNodes, textParts } from "./rig.ts";

interface Places {
  a: Node;
  b: Node;
  /** Directories that one place has, and one that both have. */
  onlyA: string;
  onlyB: string;
  both: string;
}

/** Nodes of two places, told apart by the directories that they may work in. */
async function twoPlaces(t: TestContext): Promise<Places> {
  const [onlyA, onlyB, both] = [await repository(t, { "a.txt": "of a" }), await temporary(t), await temporary(t)];
  const [a, b] = await openNodes(t, [
    { place: "a", roots: [onlyA, both] },
    { place: "b", roots: [onlyB, both] },
  ]);
  assert.ok(a && b);
  return { a, b, onlyA, onlyB, both };
}

test("work in a directory goes to its place, and all nodes show it alike", needsPostgres, async (t) => {
  const { a, b, onlyA, onlyB } = await twoPlaces(t);
  const stream = await follow(t, inDirectory(`${b.url}/event`, onlyA));
  const id = (
    await b.client.expect<{ id: string }>(200, "POST", inDirectory("/session", onlyA), { body: { title: "there" } })
  ).id;
  const { content } = await b.client.get<{ content: string }>(inDirectory("/file/content?path=a.txt", onlyA));
  assert.equal(content, "of a");
  await b.client.expect(204, "POST", `/session/${id}/prompt_async`, { body: textParts("count 2") });
  await heard(stream, ({ type }) => type === "session.idle", "the turn's end");
  assert.deepEqual(
    [a, b].map(({ server }) => server.parley.gateway.tenure.holds(id)),
    [true, false],
  );
  const command = { body: { command: "/bin/pwd" } };
  const { id: pty } = await b.client.expect<{ id: string }>(200, "POST", inDirectory("/pty", onlyA), command);
  const socket = new PtyClient(inDirectory(`${b.url.replace("http", "ws")}/pty/${pty}/connect`, onlyA));
  await socket.saw(onlyA);

  const shown = await Promise.all(
    [a, b].map(({ client }) => client.get<{ projectID: string }>(`/session/${id}`, { operation: "any" })),
  );
  assert.deepEqual(shown[1], shown[0]);
  assert.notEqual(shown[0]?.projectID, "global");
  for (const list of ["/session", "/experimental/session", "/session?scope=project"]) {
    const path = inDirectory(list, onlyA);
    assert.deepEqual(await b.client.get(path), await a.client.get(path), list);
  }
  const named = (await b.client.get<{ id: string }[]>(inDirectory("/session", onlyA))).map((one) => one.id);
  assert.deepEqual(named, [id]);
  assert.equal((await b.client.call("GET", inDirectory("/session", "/none"))).status, 403);
  assert.deepEqual(await b.client.get(inDirectory("/session", onlyB)), []);
});

test("a link to a directory of another place means that directory", needsPostgres, async (t) => {
  const { a, b, onlyA } = await twoPlaces(t);
  const link = join(await temporary(t), "link");
  await symlink(onlyA, link);
  const id = await heldSession(a, onlyA);
  const found = await b.client.get<{ id: string; directory: string }[]>(inDirectory("/session", link));
  assert.deepEqual(
    found.map((one) => [one.id, one.directory]),
    [[id, onlyA]],
  );
});

test("a directory of two places is refused until a place is named", needsPostgres, async (t) => {
  const { a, b, both } = await twoPlaces(t);
  const refused = await b.client.call<{ data: { places: string[]; code: string } }>(
    "POST",
    inDirectory("/session", both),
    { body: {} },
  );
  assert.deepEqual(
    [refused.status, refused.body.data.code, refused.body.data.places.toSorted()],
    [409, "ambiguous", ["a", "b"]],
  );
  const newer = await b.client.call<{ _tag: string; message: string }>("POST", "/api/session", {
    body: { location: { directory: both } },
  });
  assert.deepEqual([newer.status, newer.body._tag], [409, "ConflictError"]);
  assert.match(newer.body.message, /in several places, b and a: name one of them/);
  const { detail } = await b.server.api.refused("ambiguous", "POST", "/v1/sessions", { directory: both });
  assert.match(detail, /\/at\/PLACE/);
  assert.equal((await b.client.call("GET", inDirectory("/file?path=.", both))).status, 409);
  assert.equal((await b.client.call("GET", inDirectory("/pty", both))).status, 409);

  const said = await b.server.api.expect<{ id: string }>(201, "POST", "/v1/sessions", { directory: both, place: "a" });
  const shown = await b.server.api.expect<{ place: string }>(200, "GET", `/v1/sessions/${said.id}`);
  const { sessions } = await b.server.api.expect<{ sessions: { place: string }[] }>(200, "GET", "/v1/sessions");
  assert.deepEqual([shown.place, sessions.map(({ place }) => place)], ["a", ["a"]]);
  const at = new OpencodeClient(`${b.url}/at/a`);
  const inPath = await at.expect<{ id: string }>(200, "POST", inDirectory("/session", both), {
    body: {},
    operation: "any",
  });
  const inHeader = await b.client.expect<{ id: string }>(200, "POST", inDirectory("/session", both), {
    body: {},
    headers: { "x-parley-place": "b" },
  });
  for (const [node, id] of [
    [a, said.id],
    [a, inPath.id],
    [b, inHeader.id],
  ] as const) {
    await b.client.expect(200, "POST", `/session/${id}/message`, { body: textParts("count 1"), operation: "any" });
    assert.equal(node.server.parley.gateway.tenure.holds(id), true);
  }
});

test(
  "a request that names no directory is about one of the node's own, or of the place that it names",
  needsPostgres,
  async (t) => {
    const shared = await temporary(t);
    const [a, b] = await openNodes(t, [
      { place: "a", directory: shared },
      { place: "b", directory: shared },
    ]);
    assert.ok(a && b);
    const here = await b.client.expect<{ id: string }>(200, "POST", "/session", { body: {} });
    const universal = await b.server.api.expect<{ id: string }>(201, "POST", "/v1/sessions", {});
    const there = await b.server.api.expect<{ id: string }>(201, "POST", "/at/a/v1/sessions", {}, { headers: {} });
    for (const [node, id] of [
      [b, here.id],
      [b, universal.id],
      [a, there.id],
    ] as const) {
      await a.client.expect(200, "POST", `/session/${id}/message`, { body: textParts("count 1"), operation: "any" });
      assert.equal(node.server.parley.gateway.tenure.holds(id), true);
    }
    await b.client.get("/provider");
    await b.client.get("/pty");
  },
);

test(
  "sessions of a place without a node can be read, and their commands are refused for now",
  needsPostgres,
  async (t) => {
    const { a, b, onlyA, onlyB } = await twoPlaces(t);
    const id = await heldSession(a, onlyA);
    const path = `/session/${id}`;
    const shown = await b.client.get<{ projectID: string }>(path, { operation: "any" });
    await a.server.stop();
    await knows(b, 1);
    await rm(onlyA, { recursive: true });
    forgetProject(onlyA);
    learnProject(onlyA, undefined);
    // One that has seen nothing of it.
    const c = await openNode(t, b.database, "node-3", { place: "c", roots: [onlyB] });
    const reads = [
      path,
      `${path}/message`,
      `${path}/diff`,
      `${path}/todo`,
      `/api${path}`,
      inDirectory("/session", onlyA),
      "/experimental/session",
    ];
    for (const read of reads) assert.equal((await c.client.call("GET", read, { operation: "any" })).status, 200, read);
    assert.equal((await c.client.get<{ projectID: string }>(path, { operation: "any" })).projectID, shown.projectID);

    const refused = await c.client.call<{ data: { message: string } }>("POST", `${path}/message`, {
      body: textParts("count 1"),
      operation: "any",
    });
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    assert.match(refused.body.data.message, /place a, and no node there is up \(places with nodes: b, c\)/);
    const at = await new OpencodeClient(`${c.url}/at/a`).call("GET", inDirectory("/file?path=.", onlyB), {
      operation: "any",
    });
    assert.deepEqual(
      [at.status, at.headers.get("retry-after"), /no node of place a is up/.test(at.text)],
      [503, "1", true],
    );
  },
);
