import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTcpTable } from "../../../src/server/peers/tcp-table.ts";

const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const V4 = `${HEAD}   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 014DE70A:1F90 024DE70A:D431 01 00000005:00000000 01:000004E2 00000007     0        0 2 2 0 22 4 0 10 -1
   2: 0100007F:1F90 0100007F:D432 01 00000000:00000000 02:000004E2 00000000     0        0 3 2 0 22 4 0 10 -1
   3: 0100007F:D431 0100007F:1F90 01 00000005:00000000 01:000004E2 00000009     0        0 4 2 0 22 4 0 10 -1
   4: 0100007F:1F90 0100007F:D433 04 00000005:00000000 01:000004E2 00000009     0        0 5 2 0 22 4 0 10 -1
`;
const V6 = `${HEAD}   1: 00000000000000000000000001000000:1F90 B80D01200000000000000000EFBE0000:0050 08 00000005:0 01:0 0000000A 0 0 2
   2: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:0051 01 00000005:0 01:0 00000005 0 0 2
`;

test("connections of a port whose bytes are sent again are found, spelled as Node spells them", () => {
  assert.deepEqual(parseTcpTable(V4, 8080), [{ remote: "10.231.77.2:54321", localPort: 8080, resent: 7 }]);
  assert.deepEqual(parseTcpTable(V6, 8080), [
    { remote: "2001:db8::beef:80", localPort: 8080, resent: 10 },
    { remote: "::ffff:127.0.0.2:81", localPort: 8080, resent: 5 },
  ]);
  assert.deepEqual(parseTcpTable("", 8080), []);
});
