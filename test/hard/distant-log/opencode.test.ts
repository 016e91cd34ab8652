// The tests of OpenCode's streams, over a log whose positions skip and become visible late.
import { openLog } from "../../../src/log/data-log.ts";
import { distantLog } from "../../support/distant-log.ts";
import { logs } from "../../support/server.ts";

logs.open = async (options) => distantLog(await openLog(options));
await import("../../surfaces/opencode/streams/streams.test.ts");
