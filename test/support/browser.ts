import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { findProgram } from "../../src/host/find-program.ts";
import { missing } from "./missing.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The reason for skipping tests of web pages. */
export const NO_BROWSER = missing(
  "Chromium: none of chromium, chromium-browser and google-chrome is in the search path",
);

/** The browser of this machine; undefined where there is none, and tests of it are skipped with NO_BROWSER. */
export async function findBrowser(): Promise<string | undefined> {
  const names = process.env.PARLEY_TEST_BROWSER ? [process.env.PARLEY_TEST_BROWSER] : NAMES;
  for (const name of names) {
    const found = await findProgram(name);
    if (found) return found;
  }
  return undefined;
}

/** It asks nobody for updates, and as root it has no sandbox. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface Browser {
  context: BrowserContext;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface BrowserOptions {
  env: Record<string, string>;
  /** Given when a server asks for a password, as a person would. */
  password?: string;
  /** Names that lead to this machine. */
  hosts?: readonly string[];
}

/** A headless browser with an empty profile. */
export async function startBrowser(
  executablePath: string,
  { env, password, hosts = [] }: BrowserOptions,
): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(",");
  const profile = mkdtempSync(join(tmpdir(), "parley-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    // It keeps reports of crashes with the user's configuration, which tests do not have.
    env: { ...env, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
    args: [...FLAGS, ...(hosts.length > 0 ? [`--host-resolver-rules=${rules}`] : [])],
    headless: true,
    ...(password === undefined ? {} : { httpCredentials: { username: "opencode", password } }),
    viewport: { width: 1280, height: 900 },
  });
  return {
    context,
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
