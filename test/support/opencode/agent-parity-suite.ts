import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { Stage } from "../../agents/opencode/stage.ts";
import { settings } from "../../agents/opencode/surroundings.ts";
import { Closers } from "../closers.ts";
import { realAgent } from "../real-agent.ts";
import { GROUP_MS } from "../time.ts";
import { differences, factsIn, play, type Scenario } from "./agent-parity.ts";
import { AGENT_DIFFERENCES } from "./agent-parity-differences.ts";
import { CONFIG, SCRIPT } from "./agent-script.ts";
import { startNative } from "./native.ts";
import { type SdkV2, sdkV2 } from "./sdk.ts";
import { Surroundings } from "./surroundings.ts";

const { program = "", skip } = await realAgent("opencode");

type Side = "native" | "parley";

/** The same scenarios through OpenCode's own server and through Parley with OpenCode behind it. */
export function paritySuite(scenarios: Readonly<Record<string, Scenario>>): void {
  describe("OpenCode by itself and OpenCode behind Parley", { skip, timeout: GROUP_MS }, () => {
    const closers = new Closers();
    const surroundings = new Surroundings();
    let directories: Record<Side, string>;
    let clients: Record<Side, SdkV2>;

    function repository(directory: string): string {
      const env = surroundings.env({ GIT_CONFIG_NOSYSTEM: "1" });
      const git = (...args: string[]): unknown =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: directory, env });
      git("init", "--quiet");
      git("add", "--all");
      git("commit", "--quiet", "--message", "Everything");
      return directory;
    }

    before(async () => {
      const stage = await Stage.open(closers, program, { script: SCRIPT, config: CONFIG });
      directories = { native: repository(stage.project("native")), parley: repository(stage.project("parley")) };
      const { url: modelUrl } = stage.model;
      const config = { ...settings(modelUrl), ...CONFIG };
      const native = await startNative({ program, surroundings, directory: directories.native, modelUrl, config });
      closers.after(() => native[Symbol.asyncDispose]());
      clients = {
        native: sdkV2({ url: native.url, directory: directories.native }),
        parley: sdkV2({ url: stage.api.url, directory: directories.parley }),
      };
    });
    after(async () => {
      await closers.close();
      surroundings[Symbol.dispose]();
    });

    const told = async (side: Side, scenario: Scenario): Promise<Set<string>> => {
      execFileSync("git", ["clean", "--quiet", "--force"], { cwd: directories[side] });
      execFileSync("git", ["checkout", "--quiet", "."], { cwd: directories[side] });
      return factsIn(await play(clients[side], scenario, side === "native"), directories[side]);
    };

    for (const [name, scenario] of Object.entries(scenarios))
      test(name, async () => {
        const [native, parley] = [await told("native", scenario), await told("parley", scenario)];
        assert.ok(native.size > 50, "there is something to compare");
        const all = differences(native, parley);
        assert.deepEqual(
          all.filter((one) => !AGENT_DIFFERENCES.some(({ fits }) => fits.test(one))),
          [],
        );
      });
  });
}
