import type { EventOf } from "../../../core/events/event.ts";
import type { Item, MessageItem, ToolCallItem } from "../../../core/events/items.ts";
import type { Usage } from "../../../core/events/values.ts";
import { unansweredId } from "../../../core/history/unanswered.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { AskedTool } from "../shapes/ask.ts";
import type { MessageError, Part } from "../shapes/message.ts";
import { derivedId } from "./derived-ids.ts";
import { finishOfTurn } from "./failures.ts";
import { absolute, FileDiffs } from "./file-diffs.ts";
import type { Outbox } from "./outbox.ts";
import { answering, type Choice } from "./session-shape.ts";
import { ToolTrack } from "./tools/track.ts";
import type { Transcript } from "./transcript.ts";
import { type Step, TurnSteps } from "./turn-steps.ts";
import type { UserMessages } from "./user-messages.ts";

interface Surroundings {
  state: SessionState;
  transcript: Transcript;
  users: UserMessages;
  out: Outbox;
}

/** A text on its way, by the item's id. */
interface OpenText {
  step: Step;
  started: number;
}

/** The open turn: items become parts, steps become messages. */
export class TurnView {
  readonly diffs = new FileDiffs();
  readonly #start: EventOf<"turn.started">["data"];
  readonly #around: Surroundings;
  readonly #steps: TurnSteps;
  readonly #texts = new Map<string, OpenText>();
  /** When the words of a user that came from the agent were first heard. */
  readonly #heard = new Map<string, number>();
  readonly #calls = new Map<string, ToolTrack>();
  readonly #callItems = new Map<string, ToolTrack>();
  readonly #results = new Map<string, ToolTrack>();
  /** Calls that were asked about before they were seen. */
  readonly #awaited = new Set<string>();
  /** The turn's own messages of a user. */
  readonly #own = new Set<string>();
  /** Those of them that the log has no name for. */
  readonly unnamed: string[] = [];
  #choice: Choice;
  /** The user's message that the next step answers. */
  #parent: string;
  /** Stands for the user in a turn that the agent began before anybody had said anything. */
  readonly #opener: string | undefined;

  constructor(event: EventOf<"turn.started">, around: Surroundings) {
    const { state, transcript } = around;
    this.#start = event.data;
    this.#around = around;
    const { prompt, after, model, mode, options } = event.data;
    this.#choice = { model: model ?? prompt?.model, mode: mode ?? prompt?.mode, options };
    const known = prompt?.id ?? after;
    // The message's own turn is not open any more, but clients group answers by the message they name.
    this.#parent = known ?? derivedId("msg", event.time, event.turn ?? event.id);
    this.#opener = known === undefined ? this.#parent : undefined;
    if (this.#opener !== undefined) this.#open(this.#opener, event.time);
    const { id: sessionID, directory } = state;
    const frame = { sessionID, directory, started: event.time, task: prompt?.task?.type };
    this.#steps = new TurnSteps({ ...frame, answering: () => answering(this.#choice, state) }, transcript);
  }

  /** A model or mode that is learned during the turn holds for all of it, if none was known before. Another mode holds for the steps after it. */
  learn({ model, mode }: Choice): void {
    const before = this.#choice;
    this.#choice = { ...before, model: before.model ?? model, mode: mode ?? before.mode };
    if (before.model === this.#choice.model && (before.mode !== undefined || mode === undefined)) return;
    const { state, users } = this.#around;
    for (const id of this.#own) users.restate(id, state, this.#choice);
    this.#steps.restate();
  }

  usage(): Usage {
    return this.#steps.usage();
  }

  stepStarted(event: EventOf<"step.started">): void {
    this.#steps.start(event.data, event.time, this.#parent);
  }

  stepEnded(event: EventOf<"step.ended">): void {
    this.#steps.end(event.data, event.time);
  }

  itemStarted({ data: { item }, time }: EventOf<"item.started">): void {
    switch (item.kind) {
      case "message":
        if (item.role === "user") this.#heard.set(item.id, time);
        else this.#startText(item, time);
        return;
      case "reasoning":
        return this.#startText(item, time);
      case "tool_call":
        return this.#startCall(item, time);
      case "tool_result": {
        const track = this.#calls.get(item.call);
        if (track) this.#results.set(item.id, track);
        return;
      }
      case "status":
        return;
    }
  }

  #startText(item: Extract<Item, { kind: "message" | "reasoning" }>, time: number): void {
    const step = this.#steps.of(item.step);
    if (!step) return;
    this.#texts.set(item.id, { step, started: time });
    this.#steps.place(step, item.id);
    this.#around.transcript.putPart(this.#textPart(item, step, { start: time }, ""));
  }

  #textPart(item: Item, step: Step, time: { start: number; end?: number }, text: string): Part {
    const common = { id: item.id, sessionID: this.#around.state.id, messageID: step.id, text, time };
    if (item.kind === "reasoning") return { ...common, type: "reasoning" };
    const system = item.kind === "message" && item.role === "system";
    return { ...common, type: "text", ...(system ? { synthetic: true } : {}) };
  }

  #startCall(item: ToolCallItem, time: number): void {
    const step = this.#steps.of(item.step);
    if (!step) return;
    const { id: sessionID, directory } = this.#around.state;
    const track = new ToolTrack(item, { sessionID, messageID: step.id, directory }, time);
    if (this.#awaited.delete(item.call)) track.run(time);
    this.#calls.set(item.call, track);
    this.#callItems.set(item.id, track);
    step.open += 1;
    this.#steps.place(step, item.id);
    this.#show(track);
  }

  #show(track: ToolTrack): void {
    this.#around.transcript.putPassing(track.messageID, track.id, () => track.open());
  }

  itemUpdated({ data, time }: EventOf<"item.updated">): void {
    const track = this.#callItems.get(data.item);
    if (!track) return;
    track.learn(data);
    if (data.status === "running") track.run(time);
    this.#show(track);
  }

  itemDelta({ data: { item, field, delta, replace } }: EventOf<"item.delta">): void {
    if (field !== "text") return;
    const { transcript } = this.#around;
    const text = this.#texts.get(item);
    if (text) {
      if (replace === undefined) transcript.addText(text.step.id, item, delta ?? "");
      else this.#replaceText(text.step.id, item, replace);
      return;
    }
    const track = this.#results.get(item);
    if (!track) return;
    const show = replace === undefined ? track.addOutput(delta ?? "") : track.replaceOutput(replace);
    if (show) this.#show(track);
  }

  #replaceText(messageID: string, partID: string, text: string): void {
    const part = this.#around.transcript.part(messageID, partID);
    if (part?.type === "text" || part?.type === "reasoning") this.#around.transcript.putPart({ ...part, text });
  }

  itemCompleted({ data: { item }, time }: EventOf<"item.completed">): void {
    switch (item.kind) {
      case "message":
        if (item.role === "user") this.#userSaid(item, time);
        else this.#endText(item, time);
        return;
      case "reasoning":
        return this.#endText(item, time);
      case "tool_call":
        return this.#endCall(item, time);
      case "tool_result": {
        const { files = [] } = item;
        this.#results.get(item.id)?.result(item);
        // Clients that watch a file read it again before the tool is shown as done.
        for (const { path } of files)
          this.#around.out.say("file.edited", { file: absolute(this.#around.state.directory, path) });
        return;
      }
      case "status":
        // A remark is nothing the model said: as a part it would be taken for its answer. A toast shows what matters.
        if (item.level !== "info") this.#toast(item.text, item.level === "warn" ? "warning" : "error");
    }
  }

  #toast(message: string, variant: "warning" | "error"): void {
    this.#around.out.say("tui.toast.show", { message, variant });
  }

  #endText(item: Extract<Item, { kind: "message" | "reasoning" }>, time: number): void {
    const open = this.#texts.get(item.id);
    if (!open) return;
    this.#texts.delete(item.id);
    if (item.status === "retracted") this.#around.transcript.removePart(open.step.id, item.id);
    else
      this.#around.transcript.putPart(
        this.#textPart(item, open.step, { start: open.started, end: time }, item.text ?? ""),
      );
  }

  #endCall(item: ToolCallItem, time: number): void {
    const track = this.#calls.get(item.call);
    if (!track || track.done) return;
    track.learn(item);
    const part = track.close(item, time);
    // A call of an answer that was cut off is taken back as its text is: the agent asks for the whole answer again.
    if (item.error?.code === "retracted") this.#around.transcript.removePart(part.messageID, part.id);
    else this.#around.transcript.putPart(part);
    const step = this.#steps.of(item.step);
    if (!step) return;
    step.open -= 1;
    step.files.push(...track.files);
    this.diffs.add(track.files, this.#around.state.directory);
    this.#steps.settled(step, time);
  }

  /** A prompt's message, or the agent's word of what was said by somebody else. */
  #userSaid(item: MessageItem, time: number): void {
    const { prompt, context = [] } = this.#start;
    if (item.id === prompt?.id) return this.#prompted(item, time, prompt);
    const kept = context.find(({ id }) => id === item.id);
    if (kept) return this.#prompted(item, time, kept);
    if (item.steered) {
      this.#parent = item.id;
      return this.#prompted(item, time);
    }
    if (item.status !== "retracted" && item.text) this.#relay(item, time);
  }

  #prompted(item: MessageItem, time: number, header?: EventOf<"turn.started">["data"]["prompt"]): void {
    this.#own.add(item.id);
    this.#around.users.begin(item, time, this.#around.state, this.#choice, header);
  }

  #open(id: string, time: number): void {
    this.#own.add(id);
    this.unnamed.push(id);
    this.#around.users.open(id, time, this.#around.state, this.#choice);
  }

  #relay(item: MessageItem, time: number): void {
    const { state, transcript } = this.#around;
    const opener = this.#opener;
    const first = opener !== undefined && !this.#steps.begun && transcript.isEmpty(opener);
    const id = first ? opener : `msg_${item.id.slice(item.id.indexOf("_") + 1)}`;
    if (!first) this.#open(id, this.#heard.get(item.id) ?? time);
    transcript.putPart({ id: item.id, sessionID: state.id, messageID: id, type: "text", text: item.text ?? "" });
    this.#parent = id;
    const { last } = this.#steps;
    if (last && !last.begun) this.#steps.setParent(last, id);
  }

  /**
   * The call that an ask is about. It is shown as running: clients show the input of no call that is pending. A call that is not seen yet will
   * be one of the newest step; clients look for its input again when it comes.
   */
  asked(call: string | undefined, time: number): { tool?: AskedTool; input?: Readonly<Record<string, unknown>> } {
    const track = call === undefined ? undefined : this.#calls.get(call);
    if (!track) return this.#announced(call);
    if (!track.running && !track.done) {
      track.run(time);
      this.#show(track);
    }
    return { tool: { messageID: track.messageID, callID: track.call }, input: track.input };
  }

  #announced(callID: string | undefined): { tool?: AskedTool } {
    const { last } = this.#steps;
    if (callID === undefined || !last) return {};
    this.#awaited.add(callID);
    return { tool: { messageID: last.id, callID } };
  }

  answered(call: string | undefined, answers: string[][] | undefined): void {
    const track = call === undefined ? undefined : this.#calls.get(call);
    if (track && answers) track.answers = answers;
  }

  /** Everything that is left to say of the turn, but that it is over. */
  end({ data: { reason, usage }, time }: EventOf<"turn.ended">, error: MessageError | undefined): void {
    const { prompt } = this.#start;
    // A prompt always has an answer that clients can show, if only to say why there is no other.
    if (prompt && !prompt.task && !this.#steps.last)
      this.#steps.start({ step: 1, id: unansweredId(prompt.id) }, time, this.#parent);
    this.#steps.finish(finishOfTurn(reason), error, usage, time);
    if (prompt) this.#around.users.summarize(prompt.id, this.diffs.list());
  }
}
