import assert from "node:assert/strict";
import { test } from "node:test";
import { reachableUrls } from "../../src/server/guards/reachable.ts";

const INTERFACES = {
  lo: [
    { address: "127.0.0.1", internal: true, family: "IPv4" },
    { address: "::1", internal: true, family: "IPv6" },
  ],
  wlan0: [
    { address: "192.168.1.5", internal: false, family: "IPv4" },
    { address: "fe80::1", internal: false, family: "IPv6" },
    { address: "2001:db8::5", internal: false, family: "IPv6" },
  ],
  usb0: [{ address: "169.254.3.4", internal: false, family: "IPv4" }],
  gone: undefined,
} as const;

const ROWS: [bind: string, expected: string[]][] = [
  ["127.0.0.1", []],
  ["localhost", []],
  ["::1", []],
  ["0.0.0.0", ["http://192.168.1.5:7420"]],
  ["::", ["http://192.168.1.5:7420", "http://[2001:db8::5]:7420"]],
  ["", ["http://192.168.1.5:7420", "http://[2001:db8::5]:7420"]],
  ["192.168.1.5", ["http://192.168.1.5:7420"]],
  ["[2001:db8::5]", ["http://[2001:db8::5]:7420"]],
  ["box.example", ["http://box.example:7420"]],
];
for (const [bind, expected] of ROWS)
  test(`a server on "${bind}" is reached by ${expected.join(", ") || "this machine alone"}`, () =>
    assert.deepEqual(reachableUrls(bind, 7420, INTERFACES), expected));
