const NAMES: Readonly<Record<string, readonly string[]>> = {
  asm: ["asm", "s"],
  bash: ["bash", "sh", "shell", "zsh", "console", "shellsession", "fish"],
  c: ["c", "h", "cpp", "cc", "hpp", "c++", "objc", "m"],
  css: ["css", "scss", "less"],
  csv: ["csv", "tsv"],
  diff: ["diff", "patch"],
  docker: ["docker", "dockerfile", "containerfile"],
  go: ["go", "golang"],
  html: ["html", "htm", "vue", "svelte"],
  http: ["http"],
  ini: ["ini", "conf", "cfg", "properties", "env"],
  java: ["java", "kt", "kotlin", "scala", "cs", "csharp", "swift", "dart"],
  js: ["js", "javascript", "mjs", "cjs", "jsx", "node"],
  json: ["json", "jsonc", "json5", "jsonl"],
  log: ["log"],
  lua: ["lua"],
  make: ["make", "makefile", "mk"],
  md: ["md", "markdown", "mdx"],
  pl: ["pl", "perl"],
  py: ["py", "python", "python3", "rb", "ruby"],
  rs: ["rs", "rust"],
  sql: ["sql", "psql", "sqlite"],
  toml: ["toml"],
  ts: ["ts", "typescript", "tsx", "mts", "cts"],
  xml: ["xml", "svg", "plist"],
  yaml: ["yaml", "yml"],
};

const BY_WORD = new Map(Object.entries(NAMES).flatMap(([name, words]) => words.map((word) => [word, name])));

/** The highlighter's name of a language, by the word behind a fence or the ending of a file. */
export function languageOf(word: string): string | undefined {
  return BY_WORD.get(word.toLowerCase());
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return languageOf(ending) ?? "";
}
