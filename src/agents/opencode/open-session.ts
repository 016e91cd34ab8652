import { type Fields, fieldsIn, isFields, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { type OpenOptions, ResumeLost } from "../contract.ts";
import { type Api, ApiRefusal } from "./api.ts";
import { messagesAfter } from "./follow/messages-after.ts";
import { pastOf } from "./past.ts";
import { type Opening, openingOf } from "./resumption.ts";
import { rulesIn } from "./rulesets.ts";

export interface OpenedSession {
  id: string;
  /** It had messages before, or may have. */
  resumed: boolean;
  /** A turn of another client runs in it. */
  isBusy: boolean;
  /** The last message that is of the past. */
  floor: string;
  /** The permissions that the rules which the program keeps with it are about. */
  ruled: readonly string[];
  /** The conversation so far, where it is wanted. */
  past: Signal[];
}

/** The first request of a directory has the program load everything there, and install what its plugins need. */
const OPEN_MS = 120_000;
const PAGE = 50;

const idOf = (message: Fields): string => textIn(fieldsIn(message, "info"), "id") ?? "";
const isUsers = (message: Fields): boolean => fieldsIn(message, "info").role === "user";

function sessionPath(id: string): string {
  return `/session/${encodeURIComponent(id)}`;
}

/** A copy ends before the message that follows its last one: the program copies everything where it does not know the message. */
async function copy(api: Api, session: string, last: string): Promise<Fields> {
  const messages = await messagesAfter(api, session, "");
  const at = messages.findIndex((message) => idOf(message) === last);
  if (at === -1) throw new ApiRefusal(404, `${last} is not there`);
  const next = messages[at + 1];
  const body = next ? { messageID: idOf(next) } : {};
  return api.fields("POST", `${sessionPath(session)}/fork`, { body, limitMs: OPEN_MS });
}

function request(api: Api, opening: Opening): Promise<Fields> {
  if (opening.how === "new") return api.fields("POST", "/session", { body: {}, limitMs: OPEN_MS });
  if (opening.how === "copy") return copy(api, opening.session, opening.message);
  return api.fields("GET", sessionPath(opening.session), { limitMs: OPEN_MS });
}

/** Opens a session: a new one, the one of before, or a copy. Rejects with `ResumeLost` where the program does not know it. */
export async function openSession(api: Api, { resume, tellPast }: OpenOptions): Promise<OpenedSession> {
  const opening = openingOf(resume);
  const info = await request(api, opening).catch((error: unknown) => {
    const isLost = resume !== undefined && error instanceof ApiRefusal && [400, 404].includes(error.status);
    throw isLost ? new ResumeLost(resume) : error;
  });
  const id = textIn(info, "id");
  if (id === undefined) throw new Error("OpenCode told no session");
  const ruled = [...new Set(rulesIn(info.permission).map(({ permission }) => permission))];
  if (opening.how === "new") return { id, resumed: false, isBusy: false, floor: "", ruled, past: [] };
  const [messages, statuses] = await Promise.all([
    tellPast ? messagesAfter(api, id, "") : newest(api, id),
    api.fields("GET", "/session/status"),
  ]);
  const isBusy = fieldsIn(statuses, id).type !== undefined;
  // A turn that another client has begun is followed from its beginning.
  const end = isBusy ? Math.max(messages.findLastIndex(isUsers), 0) : messages.length;
  const past = messages.slice(0, end);
  const told = tellPast ? pastOf(past, id, api.directory) : [];
  return { id, resumed: true, isBusy, floor: past.length === 0 ? "" : idOf(past.at(-1) ?? {}), ruled, past: told };
}

/** The last messages, back to one of the user's at least: the turn that is open begins with it. */
async function newest(api: Api, id: string): Promise<Fields[]> {
  const found: Fields[] = [];
  let before: string | undefined;
  for (;;) {
    const { value, next } = await api.page("GET", `${sessionPath(id)}/message`, { query: { limit: PAGE, before } });
    const page = Array.isArray(value) ? value.filter(isFields) : [];
    found.unshift(...page);
    if (next === undefined || next === before || page.length === 0 || found.some(isUsers)) return found;
    before = next;
  }
}
