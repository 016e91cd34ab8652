import type { PlanEntry } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";

type Tasks = ReadonlyMap<string, PlanEntry>;

function statusOf(text: string | undefined): PlanEntry["status"] {
  return text === "in_progress" || text === "completed" || text === "cancelled" ? text : "pending";
}

/** A whole list: the old todo tool gives one each time. */
function todos(list: readonly Fields[]): Tasks {
  return new Map(
    list.map((todo, at) => [
      String(at + 1),
      { text: textIn(todo, "content") ?? textIn(todo, "subject") ?? "", status: statusOf(textIn(todo, "status")) },
    ]),
  );
}

function updated(tasks: Tasks, input: Fields, account: Fields): Tasks | undefined {
  const id = textIn(account, "taskId") ?? textIn(input, "taskId");
  if (id === undefined || account.success === false) return undefined;
  const next = new Map(tasks);
  const status = textIn(fieldsIn(account, "statusChange"), "to") ?? textIn(input, "status");
  const before = tasks.get(id);
  const text = textIn(input, "subject") ?? before?.text ?? `Task ${id}`;
  if (status === "deleted") next.delete(id);
  else next.set(id, { text, status: status === undefined ? (before?.status ?? "pending") : statusOf(status) });
  return next;
}

/** The to-do list after a tool that keeps it; undefined for every other tool. */
export function planAfter(tasks: Tasks, name: string, input: Fields, account: Fields): Tasks | undefined {
  switch (name) {
    case "TodoWrite": {
      const list = listIn(account, "newTodos");
      return todos(list.length > 0 ? list : listIn(input, "todos"));
    }
    case "TaskCreate": {
      const task = fieldsIn(account, "task");
      const id = textIn(task, "id");
      const text = textIn(task, "subject") ?? textIn(input, "subject");
      return id === undefined || text === undefined ? undefined : new Map(tasks).set(id, { text, status: "pending" });
    }
    case "TaskUpdate":
      return updated(tasks, input, account);
    case "TaskList":
      return Array.isArray(account.tasks) ? listed(listIn(account, "tasks")) : undefined;
    default:
      return undefined;
  }
}

function listed(list: readonly Fields[]): Tasks {
  return new Map(
    list.map((task, at) => [
      textIn(task, "id") ?? String(at + 1),
      { text: textIn(task, "subject") ?? "", status: statusOf(textIn(task, "status")) },
    ]),
  );
}
