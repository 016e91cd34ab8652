/** The files that a document loads at once, by their addresses. */
export interface Loads {
  script: string;
  /** Modules that the script imports, so that the browser need not find them one after the other. */
  modules: readonly string[];
  styles: readonly string[];
}

export const ICON_SIZES = [180, 192, 512] as const;

function heads({ script, modules, styles }: Loads): string[] {
  return [
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...modules.map((href) => `<link rel="modulepreload" href="${href}">`),
    `<script type="module" src="${script}"></script>`,
  ];
}

/** Said where there is no script: the page is nothing without it, but the server has other ways in. */
const WITHOUT_SCRIPT = `<noscript>
<h1>Parley</h1>
<p>This server runs coding agents and lets programs and people drive them. Its console needs JavaScript; these do not:</p>
<ul>
<li>In a terminal: <code>parley run "Read README.md and add a line at the end"</code>, or <code>parley opencode</code>.</li>
<li>With OpenCode's client: <code>OPENCODE_SERVER_PASSWORD=… opencode attach</code> and this server's address.</li>
<li>From a program: the API is described at <a href="/openapi.json">/openapi.json</a>. The browser asks for a name and a password: any name, and the token.</li>
</ul>
<p>The token is in the file <code>token</code> of the server's data directory, unless the server was started with another.</p>
</noscript>`;

/** The document of every page of the console. It has no inline script and no inline style: the policy allows none. */
export function consoleDocument(loads: Loads): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#14181d" media="(prefers-color-scheme: dark)">
<title>Parley</title>
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
<link rel="apple-touch-icon" href="/console/icon-180.png">
<link rel="manifest" href="/console/manifest.webmanifest">
${heads(loads).join("\n")}
</head>
<body>
<div id="app"></div>
${WITHOUT_SCRIPT}
</body>
</html>
`;
}

/** The document of one terminal, which a page of the console frames: a terminal needs a policy of its own. */
export function terminalDocument(loads: Loads): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Terminal – Parley</title>
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
${heads(loads).join("\n")}
</head>
<body>
<div id="terminal"></div>
</body>
</html>
`;
}

export function manifest(): string {
  const pngs = ICON_SIZES.map((size) => ({
    src: `/console/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
  }));
  return `${JSON.stringify({
    id: "/console/",
    name: "Parley",
    short_name: "Parley",
    description: "Drive coding agents",
    start_url: "/console/",
    scope: "/console/",
    display: "standalone",
    background_color: "#14181d",
    theme_color: "#14181d",
    icons: [
      { src: "/console/icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
      ...pngs,
      { src: "/console/icon-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  })}\n`;
}
