/**
 * Node's HTTP server without an `import` of it: that reads every export, and so loads the built-in WebSocket and fetch,
 * which take ten times as long as the server itself.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
