import { z } from "zod";
import { Answer, hangUp } from "../../http/endpoint.ts";
import type { Surface } from "../context.ts";
import { get, type Operation, post } from "../operation.ts";
import { TuiControl } from "./control.ts";

const prompt = z.object({ text: z.string() });
const command = z.object({ command: z.string() });
const toast = z.object({
  title: z.string().optional(),
  message: z.string(),
  variant: z.enum(["info", "success", "warning", "error"]),
  duration: z.int().min(1).optional(),
});
const selection = z.object({ sessionID: z.string().startsWith("ses") });

const published = z.discriminatedUnion("type", [
  z.object({ type: z.literal("tui.prompt.append"), properties: prompt }),
  z.object({ type: z.literal("tui.command.execute"), properties: command }),
  z.object({ type: z.literal("tui.toast.show"), properties: toast }),
  z.object({ type: z.literal("tui.session.select"), properties: selection }),
]);

/** The names that older clients have for commands. */
const ALIASES: Readonly<Record<string, string>> = {
  session_new: "session.new",
  session_share: "session.share",
  session_interrupt: "session.interrupt",
  session_compact: "session.compact",
  messages_page_up: "session.page.up",
  messages_page_down: "session.page.down",
  messages_line_up: "session.line.up",
  messages_line_down: "session.line.down",
  messages_half_page_up: "session.half.page.up",
  messages_half_page_down: "session.half.page.down",
  messages_first: "session.first",
  messages_last: "session.last",
  agent_cycle: "agent.cycle",
};

/** Those that only name a command of the user interface. */
const COMMANDS = [
  { path: "/tui/open-help", id: "tui.openHelp", command: "help.show" },
  { path: "/tui/open-sessions", id: "tui.openSessions", command: "session.list" },
  { path: "/tui/open-themes", id: "tui.openThemes", command: "theme.switch" },
  { path: "/tui/open-models", id: "tui.openModels", command: "model.list" },
  { path: "/tui/submit-prompt", id: "tui.submitPrompt", command: "prompt.submit" },
  { path: "/tui/clear-prompt", id: "tui.clearPrompt", command: "prompt.clear" },
] as const;

const NEXT =
  "waits for the next request to another `/tui` operation in the same directory; requests are kept for 30 seconds";
const CLIENT_LEFT = 499;

/** Remote control of a user interface: events for those that listen, requests for one that fetches them. */
export function tuiOperations({ bus, gateway }: Surface): Operation[] {
  const control = new TuiControl();

  /** An operation that tells the user interfaces of its directory something and answers true. */
  const telling = <B extends z.ZodType>(
    path: string,
    id: string,
    body: B,
    event: (body: z.output<B>) => Promise<{ type: string; properties: Record<string, unknown> }>,
  ): Operation =>
    post(path, id, { body }, async (call) => {
      const { type, properties } = await event(call.body);
      bus.publish(call.directory, type, properties);
      control.push(call.directory, { path, body: call.body });
      return true;
    });

  return [
    telling("/tui/append-prompt", "tui.appendPrompt", prompt, async (properties) => ({
      type: "tui.prompt.append",
      properties,
    })),
    ...COMMANDS.map(({ path, id, command }) =>
      telling(path, id, z.object({}), async () => ({ type: "tui.command.execute", properties: { command } })),
    ),
    telling("/tui/execute-command", "tui.executeCommand", command, async (body) => ({
      type: "tui.command.execute",
      properties: { command: ALIASES[body.command] ?? body.command },
    })),
    telling("/tui/show-toast", "tui.showToast", toast, async (properties) => ({ type: "tui.toast.show", properties })),
    telling("/tui/publish", "tui.publish", published, async (body) => body),
    telling("/tui/select-session", "tui.selectSession", selection, async (properties) => {
      await gateway.get(properties.sessionID);
      return { type: "tui.session.select", properties };
    }),
    get("/tui/control/next", "tui.control.next", { note: NEXT }, async ({ directory, response }) => {
      return (await control.next(directory, hangUp(response))) ?? new Answer(null, {}, CLIENT_LEFT);
    }),
  ];
}
