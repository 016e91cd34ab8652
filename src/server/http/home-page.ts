import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface Home {
  version: string;
  /** The address that clients are told, where it is not the one that they call. */
  advertise?: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 0.5rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p { margin: 0.5rem 0; }
code { font: 0.9em ui-monospace, monospace; }
pre { margin: 0.5rem 0; padding: 0.5rem 0.75rem; border: 1px solid; border-radius: 0.25rem; white-space: pre-wrap; }
`;

const hash = createHash("sha256").update(STYLE).digest("base64");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "cache-control": "no-cache",
};

/** A browser asks for `/` like this. Programs ask for any type, and are answered by the surfaces. */
export function asksForHome({
  method,
  url = "/",
  headers,
}: Pick<IncomingMessage, "method" | "url" | "headers">): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (url.split("?", 1)[0] !== "/") return false;
  return (headers.accept ?? "")
    .split(",")
    .some((type) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(type));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function page({ version }: Home, url: string): string {
  const here = escaped(url);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<h1>Parley ${escaped(version)}</h1>
<p>This server runs coding agents and lets programs and people drive them. It has no web console yet; this page shows nothing of your sessions.</p>
<h2>In a terminal of this machine</h2>
<pre><code>parley run "Read README.md and add a line at the end"
parley opencode</code></pre>
<h2>With OpenCode's client, from here or elsewhere</h2>
<pre><code>OPENCODE_SERVER_PASSWORD=… opencode attach ${here}</code></pre>
<h2>From a program</h2>
<p>The API is described at <a href="/openapi.json">/openapi.json</a>. The browser asks for a name and a password: any name, and the token.</p>
<p>Without a token: <a href="/health">/health</a> and <a href="/ready">/ready</a>.</p>
<h2>The token</h2>
<p>It is in the file <code>token</code> of the server's data directory, unless the server was started with another. The server's first lines say where.</p>
</html>
`;
}

/** Says what this is and where to go, to anybody: it holds nothing that a stranger may not know. */
export function sendHome(request: IncomingMessage, response: ServerResponse, home: Home): void {
  // The guard has read the Host header by now: it is a name or an address, and one of ours.
  const html = page(home, home.advertise ?? `http://${request.headers.host ?? "127.0.0.1"}`);
  const vary = [response.getHeader("vary"), "Accept"].filter(Boolean).join(", ");
  response.writeHead(200, { ...HEADERS, vary, "content-length": Buffer.byteLength(html) });
  response.end(request.method === "HEAD" ? undefined : html);
}
