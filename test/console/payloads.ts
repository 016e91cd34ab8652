/** A text that would run a script, load something or lead astray, if a page took it for more than text. */
export interface Payload {
  /** A word that is in no other payload. */
  mark: string;
  text: string;
}

/** The page's own function of this name tells the test that a script ran. */
const RUN = "ran(1)";

/** A host that no page may ask for anything. */
const AWAY = "http://elsewhere.invalid";

const BASES: readonly string[] = [
  `<script>${RUN}</script>`,
  `<script src="${AWAY}/a.js"></script>`,
  `</script><script>${RUN}</script>`,
  `</textarea></title></style><script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src="${AWAY}/p.png">`,
  `<image src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y="1em">here</text></a></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.${RUN}</script>"></iframe></foreignObject></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}></style></mglyph></table></mtext></math>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<base href="${AWAY}/">`,
  `<link rel=stylesheet href="${AWAY}/a.css">`,
  `<meta http-equiv=refresh content="0;url=${AWAY}/">`,
  `<form action="javascript:${RUN}"><button autofocus onfocus=${RUN}>x</button></form>`,
  `<details open ontoggle=${RUN}><summary>x</summary></details>`,
  `<style>@import "${AWAY}/b.css"; * { background: url(${AWAY}/c.png) }</style>`,
  `<p style="background:url(${AWAY}/d.png);position:fixed;inset:0">over all</p>`,
  `<a href="javascript:${RUN}">link</a>`,
  `[link](javascript:${RUN})`,
  `[link](JaVaScRiPt:${RUN})`,
  `[link](java&#10;script:${RUN})`,
  `[link](&#106;avascript:${RUN})`,
  `[link](data:text/html,<script>opener.${RUN}</script>)`,
  `[link](vbscript:${RUN})`,
  `[link](blob:${AWAY}/1) and <javascript:${RUN}>`,
  `![picture](${AWAY}/e.png) and ![x](javascript:${RUN})`,
  `[ref][r] then [r]: javascript:${RUN}`,
  `&lt;img src=x onerror=${RUN}&gt; &#60;script&#62;${RUN}&#60;/script&#62;`,
  `\u001b]8;;javascript:${RUN}\u0007a link of a terminal\u001b]8;;\u0007`,
  `\u001b[31m<img src=x onerror=${RUN}>\u001b[0m \u001b]0;title\u0007`,
  `\u202etpircs\u202c \u2066<b onclick=${RUN}>\u2069`,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}} <%= ${RUN} %> #{${RUN}}`,
  `{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${RUN}>"}},"constructor":null}`,
  `__proto__ constructor javascript:${RUN}//\`'"><img src=x onerror=${RUN}>`,
];

/** Other markup around it, which it may try to leave. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `"'> ${text}`,
  (text) => `<!-- --> ${text} -->`,
  (text) => `**bold ${text} _both_**`,
  (text) => `> - # ${text}`,
];

/** 200 payloads, each in one line. */
export const PAYLOADS: readonly Payload[] = AROUND.flatMap((around) => BASES.map(around)).map((text, at) => ({
  mark: `p${1_000 + at}`,
  text,
}));

/** Whether all of it is seen where texts are shown as they are: orders of a terminal are left out, unseen characters named. */
export function isPlain({ text }: Payload): boolean {
  return !["\u001b", "\u202e"].some((one) => text.includes(one));
}

/** A name of a file or a directory, which holds no slash and no control character. */
export function asName({ mark, text }: Payload): string {
  return `${mark} ${text.replaceAll("/", "\\").replace(/\p{Cc}/gu, "")}`.slice(0, 80);
}
