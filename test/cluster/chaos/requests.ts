import type { Book } from "./book.ts";
import { TOKEN } from "./node.ts";

export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

export interface Asking {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

/** The longest wait for an answer. A node that is stopped never gives one. */
const ANSWER_MS = 12_000;

/** Statuses that a cluster may answer with in the middle of faults. Others are told as surprises. */
const EXPECTED = new Set([200, 201, 202, 204, 404, 409, 503]);

/** Asks a node once. Undefined where no answer came. */
export async function ask(book: Book, url: string, asking: Asking): Promise<Answered | undefined> {
  const { method, path, body, headers } = asking;
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await response.text();
    const { status } = response;
    if (!EXPECTED.has(status)) book.surprises.push(`${method} ${path} was answered ${status}: ${text.slice(0, 300)}`);
    return { status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
  } catch {
    return undefined;
  }
}

export const isOk = ({ status }: Answered): boolean => status >= 200 && status < 300;
/** A refusal: nothing was done. 503 may also say that nobody knows. */
export const isRefusal = ({ status }: Answered): boolean => status >= 400 && status < 500;
