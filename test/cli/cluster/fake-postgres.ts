import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** Speaks just enough of PostgreSQL's protocol to be one of another version: every question has the same answer. */
export async function fakePostgres(version: number): Promise<{ port: number; close(): void }> {
  const message = (type: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.write(type, 0, "latin1");
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const fields = ["version", "encoding", "readOnly", "there"];
  const oids = [23, 25, 16, 16];
  const values = [String(version), "UTF8", "f", "f"];
  const int16 = (value: number): Buffer => {
    const bytes = Buffer.alloc(2);
    bytes.writeInt16BE(value);
    return bytes;
  };
  const int32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const described = fields.flatMap((name, at) => [
    Buffer.from(`${name}\0`),
    ...[int32(0), int16(0), int32(oids[at] ?? 25), int16(-1), int32(-1), int16(0)],
  ]);
  const row = values.flatMap((value) => [int32(value.length), Buffer.from(value)]);
  const rows = Buffer.concat([
    message("T", Buffer.concat([int16(fields.length), ...described])),
    message("D", Buffer.concat([int16(values.length), ...row])),
    message("C", Buffer.from("SELECT 1\0")),
    message("Z", Buffer.from("I")),
  ]);
  const ready = Buffer.concat([message("R", int32(0)), message("Z", Buffer.from("I"))]);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let begun = false;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (!begun) {
        begun = true;
        socket.write(ready);
        return;
      }
      const type = String.fromCharCode(bytes[0] ?? 0);
      if (type === "X") socket.end();
      else if (type === "Q") socket.write(rows);
      else if (type === "P")
        socket.write(Buffer.concat([message("1", Buffer.alloc(0)), message("2", Buffer.alloc(0)), rows]));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return {
    port: address.port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
