/**
 * Node's HTTP server without an `import` of it: that reads every export, and so loads the built-in WebSocket and fetch,
 * which take ten times as long as the server itself. It is loaded when it is first asked for.
 */
export const nodeHttp = (): typeof import("node:http") => process.getBuiltinModule("node:http");
