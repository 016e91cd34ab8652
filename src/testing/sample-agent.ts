#!/usr/bin/env node
import { parseArgs } from "node:util";
import { serve } from "./sample-agent/session.ts";

const { values } = parseArgs({
  options: {
    script: { type: "string" },
    pace: { type: "string", default: "2" },
    memory: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  process.stdout.write(
    "sample-agent [--script FILE] [--pace MS] [--memory DIRECTORY]\nSpeaks Parley's line protocol on stdin and stdout.\n",
  );
} else {
  serve({ pace: Number(values.pace), script: values.script, memory: values.memory });
}
