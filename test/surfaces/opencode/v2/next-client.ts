import type {
  NextAssistant,
  NextContent,
  NextEvents,
  NextMessage,
} from "../../../../src/surfaces/opencode/shapes/next.ts";

type Named = { [N in keyof NextEvents]: { type: `session.next.${N}`; data: NextEvents[N] & Base } }[keyof NextEvents];
interface Base {
  timestamp: number;
  sessionID: string;
}

/** An event of the newer streams, as a client reads it. */
export interface HeardEvent {
  id: string;
  type: string;
  durable?: { aggregateID: string; seq: number; version: number };
  location?: { directory: string };
  data: Record<string, unknown>;
}

type Tool = Extract<NextContent, { type: "tool" }>;

/** Makes messages of events in the way OpenCode's own clients do. */
export class NextClient {
  messages: NextMessage[] = [];

  #assistant(id: string): NextAssistant | undefined {
    const message = this.messages.find((one) => one.id === id);
    return message?.type === "assistant" ? message : undefined;
  }

  #text(data: { assistantMessageID: string }, id: string, change: (before: string) => string): void {
    const part = this.#assistant(data.assistantMessageID)?.content.findLast((one) => one.id === id);
    if (part && part.type !== "tool") part.text = change(part.text);
  }

  #tool(data: { assistantMessageID: string; callID: string }): Tool | undefined {
    const found = this.#assistant(data.assistantMessageID)?.content.findLast((one) => one.id === data.callID);
    return found?.type === "tool" ? found : undefined;
  }

  hear(event: HeardEvent): void {
    const { type, data } = event as unknown as Named;
    const time = { created: data.timestamp };
    switch (type) {
      case "session.next.prompted":
        this.messages.push({ id: data.messageID, type: "user", time, ...data.prompt });
        return;
      case "session.next.synthetic":
        this.messages.push({ id: data.messageID, type: "synthetic", time, sessionID: data.sessionID, text: data.text });
        return;
      case "session.next.agent.switched":
        this.messages.push({ id: data.messageID, type: "agent-switched", time, agent: data.agent });
        return;
      case "session.next.model.switched":
        this.messages.push({ id: data.messageID, type: "model-switched", time, model: data.model });
        return;
      case "session.next.shell.started": {
        const { messageID: id, callID, command } = data;
        this.messages.push({ id, type: "shell", time, callID, command, output: "" });
        return;
      }
      case "session.next.shell.ended": {
        const shell = this.messages.findLast((one) => one.type === "shell" && one.callID === data.callID);
        if (shell?.type === "shell") Object.assign(shell, { output: data.output });
        return;
      }
      case "session.next.compaction.ended": {
        const { messageID: id, reason, text: summary, recent } = data;
        this.messages.push({ id, type: "compaction", time, reason, summary, recent });
        return;
      }
      case "session.next.step.started": {
        const { assistantMessageID: id, agent, model } = data;
        this.messages.push({ id, type: "assistant", time, agent, model, content: [] });
        return;
      }
      case "session.next.step.ended": {
        const { finish, cost, tokens, files } = data;
        const ended = { finish, cost, tokens, snapshot: { files } };
        Object.assign(this.#assistant(data.assistantMessageID) ?? {}, ended);
        return;
      }
      case "session.next.step.failed":
        Object.assign(this.#assistant(data.assistantMessageID) ?? {}, { finish: "error", error: data.error });
        return;
      case "session.next.text.started":
        this.#assistant(data.assistantMessageID)?.content.push({ type: "text", id: data.textID, text: "" });
        return;
      case "session.next.reasoning.started":
        this.#assistant(data.assistantMessageID)?.content.push({ type: "reasoning", id: data.reasoningID, text: "" });
        return;
      case "session.next.text.delta":
        return this.#text(data, data.textID, (before) => before + data.delta);
      case "session.next.reasoning.delta":
        return this.#text(data, data.reasoningID, (before) => before + data.delta);
      case "session.next.text.ended":
        return this.#text(data, data.textID, () => data.text);
      case "session.next.reasoning.ended":
        return this.#text(data, data.reasoningID, () => data.text);
      case "session.next.tool.input.started": {
        const { callID: id, name } = data;
        const state = { status: "pending", input: "" } as const;
        this.#assistant(data.assistantMessageID)?.content.push({ type: "tool", id, name, state, time });
        return;
      }
      case "session.next.tool.called": {
        const tool = this.#tool(data);
        if (!tool) return;
        tool.name = data.tool;
        tool.provider = data.provider;
        tool.state = { status: "running", input: data.input, structured: {}, content: [] };
        return;
      }
      case "session.next.tool.progress": {
        const state = this.#tool(data)?.state;
        if (state?.status === "running") Object.assign(state, { structured: data.structured, content: data.content });
        return;
      }
      case "session.next.tool.success": {
        const tool = this.#tool(data);
        if (tool?.state.status !== "running") return;
        const { structured, content, outputPaths } = data;
        tool.state = { status: "completed", input: tool.state.input, structured, content, outputPaths };
        return;
      }
      case "session.next.tool.failed": {
        const tool = this.#tool(data);
        if (tool?.state.status !== "running") return;
        tool.state = { ...tool.state, status: "error", error: data.error };
        return;
      }
      case "session.next.revert.committed": {
        const at = this.messages.findIndex(({ id }) => id === data.messageID);
        if (at >= 0) this.messages = this.messages.slice(0, at);
      }
    }
  }
}
