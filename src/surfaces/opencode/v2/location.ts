import { Answer } from "../../http/endpoint.ts";
import { projectOf } from "../workspace/project.ts";

/** The place for which an answer holds. */
export function locationOf(directory: string): object {
  const { id, root } = projectOf(directory);
  return { directory, project: { id, directory: root } };
}

export function located(directory: string, data: unknown): object {
  return { location: locationOf(directory), data };
}

/** The same around JSON that is made already. */
export function locatedText(directory: string, json: string): Answer {
  return new Answer(`{"location":${JSON.stringify(locationOf(directory))},"data":${json}}`);
}
