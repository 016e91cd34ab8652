/** The keys of the console. A key counts while no field has the focus; keys in two parts are typed one after the other. */
export const KEYS = {
  inbox: { keys: "g i", does: "go to the inbox" },
  home: { keys: "g h", does: "go to the sessions" },
  usage: { keys: "g u", does: "go to the usage" },
  agents: { keys: "g a", does: "go to the agents" },
  search: { keys: "/", does: "search" },
  new: { keys: "n", does: "begin a new session" },
  next: { keys: "j", does: "next ask, turn or session" },
  previous: { keys: "k", does: "the one before" },
  open: { keys: "o", does: "open the session that is chosen" },
  allow: { keys: "a", does: "allow the chosen ask once" },
  reject: { keys: "d", does: "reject the chosen ask, with words" },
  fold: { keys: "e", does: "fold or unfold the chosen turn" },
  prompt: { keys: ".", does: "write a prompt" },
  stop: { keys: "s", does: "stop the turn" },
  help: { keys: "?", does: "show these keys" },
} as const;

export type KeyName = keyof typeof KEYS;

const NAMES = new Map<string, KeyName>(Object.entries(KEYS).map(([name, { keys }]) => [keys, name as KeyName]));
const PREFIXES = new Set([...NAMES.keys()].filter((keys) => keys.includes(" ")).map((keys) => keys.split(" ")[0]));

export interface Typed {
  /** The first part of keys in two parts, while the second is awaited. */
  prefix?: string;
  /** The name of the keys that are complete. */
  name?: KeyName;
}

/** The state after a key. */
export function typeKey({ prefix }: Typed, key: string): Typed {
  const name = NAMES.get(prefix === undefined ? key : `${prefix} ${key}`) ?? NAMES.get(key);
  if (name !== undefined) return { name };
  return PREFIXES.has(key) ? { prefix: key } : {};
}
