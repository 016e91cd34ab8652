// Loaded before a program (`node --import`): writes down which modules it has loaded when its first line goes out, and ends it.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const loaded = [];
const importers = new Map();

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!importers.has(found.url)) importers.set(found.url, context.parentURL);
    return found;
  },
  load(url, context, next) {
    const found = next(url, context);
    if (url.startsWith("file:")) loaded.push({ url, by: importers.get(url), bytes: found.source?.length ?? 0 });
    return found;
  },
});

process.stdout.write = () => {
  writeFileSync(process.env.LOADED_MODULES, JSON.stringify(loaded));
  process.kill(process.pid, "SIGKILL");
};
