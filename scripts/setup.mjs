// Installs what a fresh clone lacks. Plain JavaScript for any Node, because it runs before Node 24 is there.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";

const LOCK = "package-lock.json";
const INSTALLED = "node_modules/.package-lock.json";

const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;

/** Whether the packages that are installed are those of the lock file; those for other platforms may be missing. */
function isFresh() {
  if (!existsSync(INSTALLED)) return false;
  const installed = packagesOf(INSTALLED);
  return Object.entries(packagesOf(LOCK)).every(
    ([path, { version, optional }]) =>
      path === "" || (installed[path] ? installed[path].version === version : optional),
  );
}

// A linked directory is another checkout's: npm ci would empty it for everybody who uses it.
const linked = lstatSync("node_modules", { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
const fresh = linked ? existsSync(INSTALLED) : isFresh();
if (!fresh && linked) {
  console.error("parley: node_modules is a link to one without packages: run npm ci in the checkout it belongs to");
  process.exit(1);
}
if (!fresh) {
  console.error("parley: installing dependencies (once) …");
  const install = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (install.status !== 0) {
    console.error(
      "parley: npm ci failed; its messages are above (no network, or package-lock.json does not fit package.json)",
    );
    process.exit(install.status ?? 1);
  }
}
