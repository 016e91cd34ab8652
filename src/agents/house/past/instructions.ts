import { openInside } from "../../../host/files/open-inside.ts";

const PROJECT_FILE = "AGENTS.md";
const PROJECT_BYTES = 32_000;

const TASK = `You are a coding agent. You work in a directory on the user's machine, with tools.
Read before you change. Make the smallest change that does what was asked, and check it where you can.
Call several tools at once where they do not need each other's results.
When you are done, say in a few plain sentences what you did and what is left. Do not show whole files.`;

const PLAN = `You are in plan mode: you may look at everything and change nothing. Answer with a plan that somebody else could carry out.`;

async function projectNotes(directory: string): Promise<string> {
  const handle = await openInside(directory, PROJECT_FILE, "read").catch(() => undefined);
  if (!handle) return "";
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PROJECT_BYTES), 0, PROJECT_BYTES, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    return `\n\nThe project says about itself (${PROJECT_FILE}):\n${text}`;
  } finally {
    await handle.close();
  }
}

/** The instructions to the model before the conversation. */
export async function instructionsFor(directory: string, plan: boolean, further?: string): Promise<string> {
  const facts = `Working directory: ${directory}\nPlatform: ${process.platform}\nDate: ${new Date().toISOString().slice(0, 10)}`;
  const more = further === undefined ? "" : `\n\n${further}`;
  return `${TASK}${plan ? `\n${PLAN}` : ""}\n\n${facts}${await projectNotes(directory)}${more}`;
}
