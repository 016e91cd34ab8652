/** A path that may not be used, or not in this way. The message is for the one who named it. */
export class FileRefused extends Error {
  readonly code: "outside" | "not_a_file" | "exists" | "bad_path" | "too_large" | "not_text" | "changed";

  constructor(code: FileRefused["code"], message: string) {
    super(message);
    this.name = "FileRefused";
    this.code = code;
  }
}
