import assert from "node:assert/strict";
import { type ClientRequest, get } from "node:http";

/** A client that reads a stream, keeps nothing but its cursor, and comes back with it. */
export class Passer {
  private request: ClientRequest | undefined;
  private cursor: string | undefined;
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  connect(): void {
    const headers = this.cursor === undefined ? {} : { "last-event-id": this.cursor };
    this.request = get(this.url, { headers, agent: false }, (response) => {
      response.setEncoding("utf8");
      assert.equal(response.statusCode, 200, `a stream from ${this.cursor}`);
      let rest = "";
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        this.cursor = lines.findLast((line) => line.startsWith("id: "))?.slice("id: ".length) ?? this.cursor;
      });
      response.on("error", () => {});
    });
    this.request.on("error", () => {});
  }

  leave(): void {
    this.request?.destroy();
  }

  /** Loses its connection and is back at once. */
  comeBack(): void {
    this.leave();
    this.connect();
  }
}
