import { useEffect, useState } from "preact/hooks";

/** The way in, for a browser that has no cookie yet. */
export function Entrance() {
  const [said, say] = useState("");
  useEffect(() => {
    const code = /^#enter=([\w-]+)$/.exec(location.hash)?.[1];
    if (code === undefined) return;
    history.replaceState(null, "", location.pathname);
    void enter({ code }).then(say);
  }, []);
  return (
    <main>
      <h1>Parley</h1>
      <p>
        Run <code>parley console</code> for a link that lets this browser in, or paste the server's token.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const token = new FormData(event.currentTarget).get("token");
          void enter({ token }).then(say);
        }}
      >
        <label>
          Token <input name="token" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit">Enter</button>
      </form>
      <p role="status">{said}</p>
    </main>
  );
}

async function enter(shown: object): Promise<string> {
  const headers = { "content-type": "application/json", "x-parley-client": "console" };
  const answer = await fetch("/console/login", { method: "POST", headers, body: JSON.stringify(shown) });
  if (answer.ok) return "You are in.";
  const { detail = answer.statusText } = (await answer.json()) as { detail?: string };
  return detail;
}
