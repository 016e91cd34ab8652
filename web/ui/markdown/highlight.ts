import type { ShjLanguageData, ShjToken } from "@speed-highlight/core/tokenize";
import { languageOf } from "../../model/language.ts";

/** A piece of code with the kind of its token. */
export interface Piece {
  text: string;
  kind?: ShjToken;
}

/** Longer code is shown plain: nobody reads its colours, and each token is a node. */
const MAX_HIGHLIGHTED = 40_000;

type Language = { default: ShjLanguageData };

/** Each language is a file of its own, which comes when it is first needed. */
const LOADERS: Readonly<Record<string, () => Promise<Language>>> = {
  asm: () => import("@speed-highlight/core/languages/asm.js"),
  bash: () => import("@speed-highlight/core/languages/bash.js"),
  c: () => import("@speed-highlight/core/languages/c.js"),
  css: () => import("@speed-highlight/core/languages/css.js"),
  csv: () => import("@speed-highlight/core/languages/csv.js"),
  diff: () => import("@speed-highlight/core/languages/diff.js"),
  docker: () => import("@speed-highlight/core/languages/docker.js"),
  go: () => import("@speed-highlight/core/languages/go.js"),
  html: () => import("@speed-highlight/core/languages/html.js"),
  http: () => import("@speed-highlight/core/languages/http.js"),
  ini: () => import("@speed-highlight/core/languages/ini.js"),
  java: () => import("@speed-highlight/core/languages/java.js"),
  js: () => import("@speed-highlight/core/languages/js.js"),
  jsdoc: () => import("@speed-highlight/core/languages/jsdoc.js"),
  json: () => import("@speed-highlight/core/languages/json.js"),
  log: () => import("@speed-highlight/core/languages/log.js"),
  lua: () => import("@speed-highlight/core/languages/lua.js"),
  make: () => import("@speed-highlight/core/languages/make.js"),
  md: () => import("@speed-highlight/core/languages/md.js"),
  pl: () => import("@speed-highlight/core/languages/pl.js"),
  py: () => import("@speed-highlight/core/languages/py.js"),
  regex: () => import("@speed-highlight/core/languages/regex.js"),
  rs: () => import("@speed-highlight/core/languages/rs.js"),
  sql: () => import("@speed-highlight/core/languages/sql.js"),
  todo: () => import("@speed-highlight/core/languages/todo.js"),
  toml: () => import("@speed-highlight/core/languages/toml.js"),
  ts: () => import("@speed-highlight/core/languages/ts.js"),
  uri: () => import("@speed-highlight/core/languages/uri.js"),
  xml: () => import("@speed-highlight/core/languages/xml.js"),
  yaml: () => import("@speed-highlight/core/languages/yaml.js"),
};

const loaded = new Map<string, Promise<ShjLanguageData | undefined>>();

function load(name: string): Promise<ShjLanguageData | undefined> {
  const known = loaded.get(name);
  if (known) return known;
  const loading = (LOADERS[name]?.() ?? Promise.resolve(undefined)).then(
    (module) => module?.default,
    () => {
      loaded.delete(name);
      return undefined;
    },
  );
  loaded.set(name, loading);
  return loading;
}

/** The pieces of code; undefined where its language is not known or it is too long. */
export async function highlight(text: string, language: string): Promise<Piece[] | undefined> {
  const name = languageOf(language);
  if (name === undefined || text.length > MAX_HIGHLIGHTED) return undefined;
  const { tokenizer } = await import("@speed-highlight/core/tokenize");
  const pieces: Piece[] = [];
  const steps = tokenizer(text, name, (piece, kind) => {
    if (piece !== "") pieces.push(kind ? { text: piece, kind } : { text: piece });
  });
  for (let step = steps.next(); !step.done; ) step = steps.next(await load(step.value));
  return pieces;
}
