import { connection } from "./connection.ts";

/** Sends a one-time code or the token; the answer is a cookie that no script can read. Resolves with a refusal in words. */
async function send(body: { code: string } | { token: string }): Promise<string | undefined> {
  const response = await fetch("/console/login", {
    method: "POST",
    headers: { "content-type": "application/json", "x-parley-client": "console" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  if (response?.ok) return undefined;
  const problem: unknown = await response?.json().catch(() => undefined);
  const detail = typeof problem === "object" && problem !== null && "detail" in problem ? problem.detail : undefined;
  return typeof detail === "string" ? detail : "the server could not be reached: try again";
}

/** The reason why the link in the address was refused. */
export let refusedLink: string | undefined;

/** A link that is pasted into a tab of the console changes its address and loads nothing. */
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#enter=")) void enter().then(() => location.reload());
});

/** Uses a one-time link, and takes it out of the address and the history at once. */
export async function enter(): Promise<void> {
  const code = /^#enter=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", location.pathname + location.search);
  refusedLink = await send({ code });
}

/** Logs in by the token, and starts anew. */
export async function logIn(token: string): Promise<string | undefined> {
  const refused = await send({ token });
  if (refused === undefined) location.reload();
  return refused;
}

export async function logOut(): Promise<void> {
  await fetch("/console/logout", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  connection.value = { kind: "signed-out" };
}
