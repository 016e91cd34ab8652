import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { OpencodeClient } from "../../../support/opencode.ts";
import { temporary } from "../../../support/server.ts";
import { files, opencodeRig } from "../rig.ts";

interface Info {
  id: string;
  agent: string;
  model: { id: string; providerID: string };
  title: string;
  projectID: string;
  location: { directory: string };
}

interface Ask {
  id: string;
  sessionID: string;
}

const SCRIPTED = { agents: {}, defaultAgent: "scripted" };

async function create(client: OpencodeClient, body: object = {}): Promise<Info> {
  return (await client.expect<{ data: Info }>(200, "POST", "/api/session", { body })).data;
}

const at = (id: string, rest = ""): string => `/api/session/${id}${rest}`;

/** Says which operation a path of a session is one of. */
const of = (method: string, rest = ""): { operation: string } => ({
  operation: `${method} /api/session/{sessionID}${rest}`,
});

test("a session is made, found, listed newest first, page by page", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const other = await temporary(t);
  const ids: string[] = [];
  for (let made = 0; made < 3; made += 1) ids.unshift((await create(client)).id);
  const elsewhere = await create(client, { location: { directory: other } });
  assert.deepEqual(elsewhere.location, { directory: other });
  assert.deepEqual([elsewhere.agent, elsewhere.model.providerID], ["build", "scripted"]);
  const got = await client.get<{ data: Info }>(at(elsewhere.id), of("GET"));
  assert.deepEqual(got.data, elsewhere);
  const { data, cursor } = await client.get<{ data: Info[]; cursor: { next?: string } }>(
    `/api/session?limit=2&directory=${server.directory}`,
  );
  assert.deepEqual(
    data.map(({ id }) => id),
    ids.slice(0, 2),
  );
  const rest = await client.get<{ data: Info[]; cursor: object }>(
    `/api/session?limit=2&directory=${server.directory}&cursor=${cursor.next}`,
  );
  assert.deepEqual([rest.data.map(({ id }) => id), rest.cursor], [ids.slice(2), {}]);
  await server.api.expect(200, "PATCH", `/v1/sessions/${ids[1]}`, { title: "A Needle here" });
  const found = await client.get<{ data: Info[] }>("/api/session?search=needle&project=global");
  assert.deepEqual(
    found.data.map(({ id }) => id),
    [ids[1]],
  );
  await client.expect(400, "GET", "/api/session?cursor=nonsense");
  await client.expect(501, "GET", "/api/session?order=asc");
});

test("a prompt is taken once, seen as running, waited for, and interrupted", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const { id } = await create(client);
  const stream = await server.api.stream(id);
  const prompt = { id: "msg_mine", prompt: { text: "[[slow 60000]]" } };
  type Admitted = { data: { id: string; admittedSeq: number; delivery: string } };
  const send = (body: object): Promise<Admitted> =>
    client.expect(200, "POST", at(id, "/prompt"), { body, ...of("POST", "/prompt") });
  const first = await send(prompt);
  assert.equal(first.data.id, "msg_mine");
  assert.equal((await send(prompt)).data.admittedSeq, first.data.admittedSeq);
  await client.expect(409, "POST", at(id, "/prompt"), { body: { ...prompt, prompt: { text: "other" } } });
  await stream.first("item.delta");
  assert.deepEqual(await client.get("/api/session/active"), { data: { [id]: { type: "running" } } });
  const waiting = client.expect(204, "POST", at(id, "/wait"));
  await client.expect(204, "POST", at(id, "/interrupt"));
  await waiting;
  assert.deepEqual(await client.get("/api/session/active"), { data: {} });
  assert.equal((await server.api.session(id)).lastEnd?.reason, "cancelled");
  await client.expect(204, "POST", at(id, "/wait"));
  await stream.close();
});

test("files come with a prompt by their address", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const { id } = await create(client);
  await files(server.directory, { "a.txt": "a" });
  const text = "look";
  const uris = [pathToFileURL(join(server.directory, "a.txt")).href, "data:text/plain,hello"];
  const body = { prompt: { text, files: uris.map((uri) => ({ uri, name: "a file" })) } };
  const { data } = await client.expect<{ data: { prompt: { files: { mime: string }[] } } }>(
    200,
    "POST",
    at(id, "/prompt"),
    { body, ...of("POST", "/prompt") },
  );
  assert.deepEqual(
    data.prompt.files.map(({ mime }) => mime),
    ["application/octet-stream", "text/plain"],
  );
  for (const uri of ["https://example.com/a.txt", "a.txt"])
    await client.expect(400, "POST", at(id, "/prompt"), { body: { prompt: { text, files: [{ uri }] } } });
  await client.expect(204, "POST", at(id, "/wait"));
});

test("a permission is listed, answered, and gone; a wrong kind of answer changes nothing", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const { id } = await create(client);
  const stream = await server.api.stream(id);
  await server.api.prompt(id, "[[ask rm -rf build]]");
  await stream.first("permission.requested");
  const { data } = await client.get<{ data: (Ask & { action: string; resources: string[] })[] }>(
    at(id, "/permission"),
    of("GET", "/permission"),
  );
  const [ask] = data;
  assert.deepEqual([ask?.sessionID, ask?.action, ask?.resources], [id, "bash", ["rm -rf build"]]);
  const one = at(id, `/permission/${ask?.id}`);
  const operation = of("GET", "/permission/{requestID}");
  assert.deepEqual((await client.get<{ data: Ask }>(one, operation)).data, ask);
  const all = await client.get<{ data: Ask[] }>(`/api/permission/request?location[directory]=${server.directory}`);
  assert.deepEqual(all.data, data);
  const none = await client.get<{ data: Ask[] }>(`/api/permission/request?location[directory]=${await temporary(t)}`);
  assert.deepEqual(none.data, []);
  const wrong = await client.expect<{ _tag: string }>(404, "POST", at(id, `/question/${ask?.id}/reject`));
  assert.equal(wrong._tag, "QuestionNotFoundError");
  await client.expect(400, "POST", `${one}/reply`, { body: { reply: "maybe" } });
  await client.expect(204, "POST", `${one}/reply`, { body: { reply: "reject", message: "not this one" } });
  await client.expect(204, "POST", at(id, "/wait"));
  const events = await server.api.events(id);
  const resolved = events.find((event) => event.type === "permission.resolved");
  assert.equal(resolved?.type === "permission.resolved" && resolved.data.feedback, "not this one");
  await client.expect(404, "GET", one);
  await client.expect(409, "POST", `${one}/reply`, { body: { reply: "once" } });
  const gone = await client.expect<{ _tag: string; requestID: string }>(
    404,
    "POST",
    at(id, "/permission/per_x/reply"),
    {
      body: { reply: "once" },
    },
  );
  assert.deepEqual([gone._tag, gone.requestID], ["PermissionNotFoundError", "per_x"]);
  await stream.close();
});

test("a question is listed and answered", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const { id } = await create(client);
  const stream = await server.api.stream(id);
  await server.api.prompt(id, "[[question]]");
  await stream.first("question.requested");
  const { data } = await client.get<{ data: (Ask & { questions: { options: { label: string }[] }[] })[] }>(
    at(id, "/question"),
    of("GET", "/question"),
  );
  const label = data[0]?.questions[0]?.options[0]?.label ?? "";
  assert.ok(label);
  assert.equal((await client.get<{ data: Ask[] }>("/api/question/request")).data[0]?.id, data[0]?.id);
  await client.expect(204, "POST", at(id, `/question/${data[0]?.id}/reply`), { body: { answers: [[label]] } });
  await client.expect(204, "POST", at(id, "/wait"));
  assert.deepEqual((await client.get<{ data: Ask[] }>(at(id, "/question"))).data, []);
  await stream.close();
});

test("model and mode of a session change within its agent", async (t) => {
  const { client } = await opencodeRig(t);
  const { id } = await create(client, { model: { providerID: "house", id: "scripted/demo" }, agent: "build" });
  await client.expect(204, "POST", at(id, "/agent"), { body: { agent: "plan" } });
  assert.equal((await client.get<{ data: Info }>(at(id), of("GET"))).data.agent, "plan");
  await client.expect(400, "POST", at(id, "/agent"), { body: { agent: "nothing" } });
  await client.expect(204, "POST", at(id, "/model"), { body: { model: { providerID: "house", id: "scripted/demo" } } });
  const other = await client.expect<{ _tag: string }>(409, "POST", at(id, "/model"), {
    body: { model: { providerID: "scripted", id: "default" } },
  });
  assert.equal(other._tag, "ConflictError");
  await client.expect(400, "POST", at(id, "/model"), { body: { model: { providerID: "house", id: "x" } } });
  await client.expect(400, "POST", "/api/session", { body: { model: { providerID: "nobody", id: "x" } } });
  await client.expect(501, "POST", "/api/session", { body: { id: "ses_mine" } });
});

test("sessions of all projects are listed with the project they belong to", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const { id } = await create(client);
  await create(client, { location: { directory: await temporary(t) } });
  type Listed = { id: string; project: { id: string; worktree: string } };
  const all = await client.get<Listed[]>("/experimental/session");
  assert.equal(all.length, 2);
  assert.deepEqual(all[1]?.project, { id: "global", worktree: "/" });
  const here = await client.get<Listed[]>(`/experimental/session?directory=${server.directory}&roots=true&limit=5`);
  assert.deepEqual(
    here.map((session) => session.id),
    [id],
  );
  assert.deepEqual(await client.get(`/experimental/session?start=${Date.now() + 60_000}`), []);
  assert.deepEqual(await client.get("/experimental/session?cursor=1"), []);
});

test("sessions of all projects come by their last change, and a page's cursor leads to the rest", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  const made = [await create(client), await create(client), await create(client)].map(({ id }) => id);
  const [first = "", second = "", third = ""] = made;
  for (const id of [second, first]) await server.api.ask(id, "hello");
  const page = async (query: string): Promise<[ids: string[], next: string | null]> => {
    const { body, headers } = await client.call<{ id: string }[]>("GET", `/experimental/session${query}`);
    return [body.map(({ id }) => id), headers.get("x-next-cursor")];
  };
  const [ids, next] = await page("?limit=2");
  assert.deepEqual(ids, [first, second]);
  assert.deepEqual(await page(`?limit=2&cursor=${next}`), [[third], null]);
});

test("a session that a client made for another is no root", async (t) => {
  const { client } = await opencodeRig(t, SCRIPTED);
  const { id } = await create(client);
  await client.expect(200, "POST", "/session", { body: { parentID: id } });
  const roots = await client.get<{ id: string }[]>("/experimental/session?roots=true");
  assert.deepEqual(
    roots.map((session) => session.id),
    [id],
  );
});

test("limits are those of native: any size, 0 and negative numbers where native takes them", async (t) => {
  const { client, server } = await opencodeRig(t, SCRIPTED);
  for (let made = 0; made < 3; made += 1) await create(client);
  const place = `directory=${encodeURIComponent(server.directory)}`;
  const count = async (path: string): Promise<number | "400"> => {
    const { status, body } = await client.call<unknown[] | { data: unknown[] }>("GET", path);
    if (status === 400) return "400";
    assert.equal(status, 200, path);
    return (Array.isArray(body) ? body : body.data).length;
  };
  const LIMITS = ["5000", "1000000", "1e3", "2", "0", "-1", "NaN", "1.5", "Infinity"];
  const EXPECTED: Record<string, (number | "400")[]> = {
    "/session": [3, 3, 3, 2, 0, 3, "400", "400", "400"],
    "/experimental/session": [3, 3, 3, 2, 0, "400", "400", "400", "400"],
    "/api/session": [3, 3, 3, 2, "400", "400", "400", "400", "400"],
  };
  for (const [path, expected] of Object.entries(EXPECTED)) {
    const found = await Promise.all(LIMITS.map((limit) => count(`${path}?${place}&limit=${limit}`)));
    assert.deepEqual(found, expected, path);
  }
  await files(server.directory, { "walnut-a": "", "walnut-b": "" });
  const names = (limit: string): Promise<number | "400"> => count(`/api/fs/find?query=walnut&${place}&limit=${limit}`);
  assert.deepEqual([await names("5000"), await names("1"), await names("0")], [2, 1, "400"]);
});
