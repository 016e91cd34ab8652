import { type Fields, fieldsIn, textIn } from "../../../src/core/json/fields.ts";
import type { Compared } from "../../support/acp/real-through.ts";

/** What is chosen, by the ids of the options. */
export type Values = Readonly<Record<string, string>>;

export interface ChoiceRow {
  name: Compared;
  /** Chosen one after the other, each with all that holds afterwards. */
  steps: { choose: [id: string, value: string]; holds: Values }[];
  /** Chosen by the older requests of another client. */
  older: { model: string; mode: string; holds: Values };
  /** What a request to the model says of the choices. */
  shows(request: Fields): unknown;
  /** After the steps, and after the older requests. */
  sent: [unknown, unknown];
  /** How often an edit is asked about in the last mode. */
  asks: number;
}

/** The cheapest agent first. */
export const ROWS: readonly ChoiceRow[] = [
  {
    name: "codex-acp",
    steps: [
      {
        choose: ["model", "gpt-6-luna"],
        holds: {
          mode: "read-only",
          model: "gpt-6-luna",
          collaboration_mode: "default",
          effort: "medium",
          "fast-mode": "false",
        },
      },
      {
        choose: ["effort", "high"],
        holds: {
          mode: "read-only",
          model: "gpt-6-luna",
          collaboration_mode: "default",
          effort: "high",
          "fast-mode": "false",
        },
      },
      {
        choose: ["fast-mode", "true"],
        holds: {
          mode: "read-only",
          model: "gpt-6-luna",
          collaboration_mode: "default",
          effort: "high",
          "fast-mode": "true",
        },
      },
    ],
    older: {
      model: "gpt-5.5",
      mode: "workspace-write",
      holds: {
        mode: "workspace-write",
        model: "gpt-5.5",
        collaboration_mode: "default",
        effort: "high",
        "fast-mode": "true",
      },
    },
    shows: (request) => [
      textIn(request, "model"),
      textIn(fieldsIn(request, "reasoning"), "effort"),
      textIn(request, "service_tier"),
      /`sandbox_mode` is `([a-z-]+)`(?!.*`sandbox_mode` is)/.exec(JSON.stringify(request))?.[1],
    ],
    sent: [
      ["gpt-6-luna", "high", "priority", "read-only"],
      ["gpt-5.5", "high", "priority", "workspace-write"],
    ],
    asks: 1,
  },
  {
    name: "claude-acp",
    steps: [
      {
        choose: ["model", "sonnet"],
        holds: { mode: "default", model: "sonnet", effort: "default", ultracode: "false" },
      },
      { choose: ["effort", "low"], holds: { mode: "default", model: "sonnet", effort: "low", ultracode: "false" } },
      { choose: ["mode", "plan"], holds: { mode: "plan", model: "sonnet", effort: "low", ultracode: "false" } },
    ],
    older: {
      model: "opus",
      mode: "acceptEdits",
      holds: { mode: "acceptEdits", model: "opus", effort: "low", fast: "false", ultracode: "false" },
    },
    shows: (request) => [textIn(request, "model"), textIn(fieldsIn(request, "output_config"), "effort")],
    sent: [
      ["claude-sonnet-5-5", "low"],
      ["claude-opus-5-5", "low"],
    ],
    asks: 0,
  },
  {
    name: "opencode-acp",
    steps: [
      { choose: ["effort", "high"], holds: { mode: "build", model: "fake/fake-model", effort: "high" } },
      // Without variants of the model there is no effort to choose.
      { choose: ["model", "fake/plain"], holds: { mode: "build", model: "fake/plain" } },
      { choose: ["mode", "plan"], holds: { mode: "plan", model: "fake/plain" } },
    ],
    older: {
      model: "fake/fake-model",
      mode: "build",
      holds: { mode: "build", model: "fake/fake-model", effort: "low" },
    },
    // OpenCode tells its model that it is to plan.
    shows: (request) => [
      textIn(request, "model"),
      textIn(request, "reasoning_effort"),
      JSON.stringify(request).includes("Plan mode ACTIVE"),
    ],
    sent: [
      ["plain", undefined, true],
      ["fake-model", "low", false],
    ],
    asks: 1,
  },
];
