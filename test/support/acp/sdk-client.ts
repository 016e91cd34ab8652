import {
  type AnyMessage,
  type ClientConnection,
  type ClientContext,
  client,
  methods,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";

type Update = SessionNotification["update"];
type UpdateOf<K extends Update["sessionUpdate"]> = Extract<Update, { sessionUpdate: K }>;

/** A permission that the client was asked for. It waits until the test answers it, or the agent takes it back. */
export interface Asked {
  request: RequestPermissionRequest;
  withdrawn: AbortSignal;
  answer(kind: "allow_once" | "reject_once"): void;
}

/** A client of the SDK, in version 1, which keeps what it hears. */
export class SdkClient {
  readonly asked: Asked[] = [];
  /** All messages of the agent. */
  readonly messages: AnyMessage[] = [];
  readonly #updates: Update[] = [];
  readonly #connection: ClientConnection;

  private constructor(stream: Stream) {
    const heard = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        this.messages.push(message);
        controller.enqueue(message);
      },
    });
    this.#connection = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.#updates.push(params.update);
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => this.#ask(params, signal))
      .connect({ writable: stream.writable, readable: stream.readable.pipeThrough(heard) });
  }

  static async open(stream: Stream): Promise<SdkClient> {
    const opened = new SdkClient(stream);
    const info = { name: "test", version: "1" };
    await opened.agent.request(methods.agent.initialize, { protocolVersion: 1, clientInfo: info });
    return opened;
  }

  get agent(): ClientContext {
    return this.#connection.agent;
  }

  updates<K extends Update["sessionUpdate"]>(kind: K): UpdateOf<K>[] {
    return this.#updates.filter((update): update is UpdateOf<K> => update.sessionUpdate === kind);
  }

  /** The words of the agent so far, or those of prompts. */
  text(kind: "agent_message_chunk" | "user_message_chunk" = "agent_message_chunk"): string {
    return this.updates(kind)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  async prompt(sessionId: string, text: string): Promise<PromptResponse["stopReason"]> {
    const prompt = [{ type: "text" as const, text }];
    return (await this.agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt })).stopReason;
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#connection.closed;
  }

  #ask(request: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse> {
    const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
    withdrawn.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }), { once: true });
    const answer: Asked["answer"] = (kind) => {
      const optionId = request.options.find((option) => option.kind === kind)?.optionId ?? "";
      resolve({ outcome: { outcome: "selected", optionId } });
    };
    this.asked.push({ request, withdrawn, answer });
    return promise;
  }
}
