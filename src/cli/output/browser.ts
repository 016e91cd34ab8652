import { spawn } from "node:child_process";

/** The program that opens an address in the person's browser; undefined where there is no screen to show one. */
export function opener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (env.BROWSER) return [env.BROWSER];
  if (platform === "darwin") return ["open"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : undefined;
}

/** Opens an address in a browser, and says whether there is one to try. Where that fails, the address is on the terminal. */
export function openBrowser(address: string): boolean {
  const [program, ...args] = opener(process.platform, process.env) ?? [];
  if (program === undefined) return false;
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
  return true;
}
