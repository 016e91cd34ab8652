/** A file of the package, as `npm pack --json` lists it. */
export interface PackedFile {
  path: string;
  size: number;
  mode: number;
}

const NEEDED = [
  "package.json",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "bin/parley.js",
  "schema/config.json",
  "docs/api.md",
  "dist/console/index.html",
];
const ALLOWED = /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|(?:bin|dist|schema|docs)\/.+)$/;
const MAX_BYTES = 20_000_000;
const EXECUTABLE = 0o111;

/** The facts that a manifest lacks before it may be published. */
export function unpublishable(manifest: { repository?: unknown; private?: boolean }): string[] {
  return [
    ...(manifest.repository
      ? []
      : ["expected `repository` in package.json, with the address of the public repository"]),
    ...(manifest.private ? ["`private` in package.json forbids it"] : []),
  ];
}

/** The faults of a package's list of files. */
export function faultsOf(files: readonly PackedFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const bin = files.find(({ path }) => path === "bin/parley.js");
  return [
    ...NEEDED.filter((path) => !paths.has(path)).map((path) => `expected ${path} in the package, and it is missing`),
    ...files.filter(({ path }) => !ALLOWED.test(path)).map(({ path }) => `${path} does not belong into the package`),
    ...files
      .filter(({ path }) => /(?<!\.d)\.ts$/.test(path))
      .map(({ path }) => `${path}: Node runs no TypeScript in node_modules`),
    ...(bin && (bin.mode & EXECUTABLE) === 0 ? ["bin/parley.js is not executable"] : []),
    ...(bytes > MAX_BYTES ? [`expected at most ${MAX_BYTES} bytes, got ${bytes}`] : []),
  ];
}
