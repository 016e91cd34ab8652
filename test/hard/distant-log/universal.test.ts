// The tests of events and streams, over a log whose positions skip and become visible late.
import { openLog } from "../../../src/log/data-log.ts";
import { distantLog } from "../../support/distant-log.ts";
import { logs } from "../../support/server.ts";

logs.open = async (options) => distantLog(await openLog(options));
await import("../../surfaces/universal/stream.test.ts");
await import("../../surfaces/universal/events.test.ts");
await import("../../surfaces/universal/resume.test.ts");
