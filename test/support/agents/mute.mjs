// Shows by an empty plan that it has its prompt, and never says another word, nor listens to any.
import { say, serve } from "../../fixtures/agents/wire.mjs";

serve({ prompt: () => say({ type: "plan", entries: [] }) });
