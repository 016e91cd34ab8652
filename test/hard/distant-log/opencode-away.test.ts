// The tests of OpenCode's clients that come back, over a log whose positions skip. They compare a snapshot with the log in
// the same moment, so its events are visible at once.
import { openLog } from "../../../src/log/data-log.ts";
import { distantLog } from "../../support/distant-log.ts";
import { logs } from "../../support/server.ts";

logs.open = async (options) => distantLog(await openLog(options), { late: false });
await import("../../surfaces/opencode/streams/away.test.ts");
