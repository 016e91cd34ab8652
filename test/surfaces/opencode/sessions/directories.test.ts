import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { Listener } from "../listener.ts";
import { files, inDirectory, type OpencodeRig, opencodeRig } from "../rig.ts";

interface Places extends OpencodeRig {
  real: string;
  link: string;
}

async function places(t: Parameters<typeof opencodeRig>[0]): Promise<Places> {
  const rig = await opencodeRig(t, { defaultAgent: "scripted" });
  const real = join(rig.server.directory, "wörk 100%41");
  const link = join(rig.server.directory, "link");
  await mkdir(real);
  await symlink(real, link);
  return { ...rig, real, link };
}

/** Sends a header as its bytes are, which fetch refuses to do. */
function createRaw(url: string, directory: string): Promise<Session> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-opencode-directory": Buffer.from(directory, "utf8").toString("latin1"),
    };
    const sent = request(`${url}/session`, { method: "POST", headers }, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      resolve(JSON.parse(text) as Session);
    });
    sent.once("error", reject);
    // As bytes: with a string the head would be encoded like it.
    sent.end(Buffer.from("{}"));
  });
}

test("a session is found under every name of its directory, and heard of under each", async (t) => {
  const { client, server, real, link } = await places(t);
  const named = [real, `${real}/`, `${real}/../${"wörk 100%41"}`, link, `${link}/.`];
  const made = await Promise.all(
    named.map((name) => {
      const headers = { "x-opencode-directory": encodeURIComponent(name) };
      return client.expect<Session>(200, "POST", "/session", { body: {}, headers });
    }),
  );
  made.push(await createRaw(server.parley.url, real), await createRaw(server.parley.url, link));
  const universal = await server.api.create({ directory: link });
  const ids = [...made.map(({ id }) => id), universal.id].sort();
  for (const { directory } of made) assert.equal(directory, real);
  for (const name of named) {
    const listed = await client.get<Session[]>(inDirectory("/session", name));
    assert.deepEqual(listed.map(({ id }) => id).sort(), ids, name);
    const { sessions } = await server.api.expect<{ sessions: { id: string }[] }>(
      200,
      "GET",
      `/v1/sessions?directory=${encodeURIComponent(name)}`,
    );
    assert.deepEqual(sessions.map(({ id }) => id).sort(), ids, name);
    const listener = new Listener(`${server.parley.url}${inDirectory("/event", name)}`);
    await listener.connect();
    await server.api.prompt(universal.id, "hello");
    await listener.idle(universal.id);
    await listener.leave();
  }
});

test("a file is inside its session's directory, whichever way its client names it", async (t) => {
  const { client, real, link } = await places(t);
  await files(real, { "notes.txt": "notes" });
  const { id } = await client.expect<Session>(200, "POST", inDirectory("/session", link), { body: {} });
  for (const directory of [real, link]) {
    const url = pathToFileURL(join(directory, "notes.txt")).href;
    const parts = [{ type: "file", mime: "text/plain", filename: "notes.txt", url }];
    const body = { noReply: true, parts };
    const { info } = await client.expect<MessageWithParts>(200, "POST", `/session/${id}/message`, { body });
    assert.equal(info.role, "user");
  }
});

test("a directory that cannot be one is refused as such", async (t) => {
  const { client } = await places(t);
  for (const path of ["/file?path=.", "/vcs", "/project/current", "/session", "/path", "/api/location"]) {
    const { status, text } = await client.call("GET", inDirectory(path, "/tmp/\0x"));
    assert.equal(status, 400, `${path}: ${text}`);
  }
});
