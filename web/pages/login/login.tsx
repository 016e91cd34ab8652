import { useState } from "preact/hooks";
import { logIn, refusedLink } from "../../data/login.ts";

/** Says how to get in, and takes the token. */
export function Login() {
  const [refused, setRefused] = useState(refusedLink);
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setRefused(await logIn(token.trim()));
    setBusy(false);
  }
  return (
    <main class="page login">
      <h1>Parley</h1>
      <p>This console shows and drives the sessions of this server. Only its owner gets in.</p>
      {refused !== undefined && (
        <p class="notice bad" role="alert">
          {refused}
        </p>
      )}
      <h2>On the server's machine</h2>
      <p>
        Run <code>parley console</code>: it opens this page by a link that works once.
      </p>
      <h2>With the token</h2>
      <form class="row" onSubmit={submit}>
        <label class="field grow">
          <span>Token: the file “token” of the server's data directory</span>
          <input
            class="input"
            type="password"
            autocomplete="current-password"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button first" disabled={busy}>
          Log in
        </button>
      </form>
    </main>
  );
}
