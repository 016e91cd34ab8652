import { type ComponentType, createContext } from "preact";

/** Facts of the session that parts deep inside its transcript need. */
export interface Shown {
  session: string;
  directory: string;
  /** Draws the transcript of a sub-agent's session. It is given, since it is made of the parts that use it. */
  Nested: ComponentType<{ id: string }>;
}

export const ShownSession = createContext<Shown>({ session: "", directory: "", Nested: () => null });
