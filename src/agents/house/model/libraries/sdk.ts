/** The parts of the SDK that are used, by name: a bundle has no others. So do the modules beside it. */
export { streamText, tool } from "ai";
