import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { question } from "./question.ts";
import { read } from "./read.ts";
import { todo } from "./todo.ts";
import type { Tool } from "./tool.ts";
import { write } from "./write.ts";

export const TOOLS: readonly Tool[] = [read, write, edit, bash, glob, grep, todo, question];
