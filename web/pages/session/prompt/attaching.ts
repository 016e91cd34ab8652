import { type Attachment, MAX_ATTACHED } from "../../../model/draft.ts";
import { bytes } from "../../../model/words.ts";

function urlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} could not be read`));
    reader.readAsDataURL(file);
  });
}

/** Reads files for a prompt. Throws with the limit where they are too large for one request. */
export async function attach(files: readonly File[], before: readonly Attachment[]): Promise<Attachment[]> {
  const sum = [...before, ...files].reduce((total, { size }) => total + size, 0);
  if (sum > MAX_ATTACHED)
    throw new Error(
      `a prompt can have ${bytes(MAX_ATTACHED)} of files, these are ${bytes(sum)}: put them into the directory and name them by @`,
    );
  const read = files.map(async (file): Promise<Attachment> => {
    const mime = file.type || "application/octet-stream";
    return { name: file.name || "pasted", mime, url: await urlOf(file), size: file.size };
  });
  return [...before, ...(await Promise.all(read))];
}
