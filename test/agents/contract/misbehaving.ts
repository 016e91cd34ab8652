import { ENDING } from "./misbehaving-ends.ts";
import { SEVERAL } from "./misbehaving-several.ts";
import { STARTING, WORKING } from "./misbehaving-turns.ts";
import type { Misbehaviour } from "./spoil.ts";

/** Every way in which an agent may break the contract, with the check that must notice it. */
export const MISBEHAVIOURS: readonly Misbehaviour[] = [...SEVERAL, ...STARTING, ...WORKING, ...ENDING];
