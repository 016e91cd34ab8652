import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Environment } from "./contract.ts";

function userHome(): string {
  try {
    return userInfo().homedir || "/";
  } catch {
    // The user has no entry in the system's list of users.
    return "/";
  }
}

/** A relative home would be a place of any project. */
export function homeOf({ HOME }: Environment): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : userHome();
}

/** Codex's own directory: its settings, its login, its sessions. */
export function codexHome(env: Environment): string {
  return env.CODEX_HOME || join(homeOf(env), ".codex");
}

export interface ClaudeFiles {
  settings: string;
  login: string;
  /** Claude Code's memory, which may hold a key. */
  main: string;
}

export function claudeFiles(env: Environment): ClaudeFiles {
  const moved = env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : undefined;
  const home = homeOf(env);
  const directory = moved ?? join(home, ".claude");
  return {
    settings: join(directory, "settings.json"),
    login: join(directory, ".credentials.json"),
    main: join(moved ?? home, ".claude.json"),
  };
}

/** As the XDG base directory specification has it: a relative path there means nothing. */
export function opencodeFile(env: Environment): string {
  const { XDG_DATA_HOME } = env;
  const data =
    XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homeOf(env), ".local", "share");
  return join(data, "opencode", "auth.json");
}
