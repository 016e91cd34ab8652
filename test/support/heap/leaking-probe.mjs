// The probe in a server that keeps something of each request, for ever.
import { subscribe } from "node:diagnostics_channel";
import "./probe.mjs";

class Kept {
  constructor(url) {
    this.url = url;
  }
}

const all = [];
subscribe("http.server.request.start", ({ request }) => all.push(new Kept(request.url)));
