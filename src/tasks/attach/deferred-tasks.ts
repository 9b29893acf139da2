import type { TaskDefinition } from '../author/definition.js';
import type { Tasks } from '../port/tasks.js';

/**
 * Makes tasks whose records and engine are made by the first call, because lists need only the definitions.
 *
 * @param definitions the tasks
 * @param make makes the tasks; called again by the next call if it rejects
 */
export function deferTasks(definitions: readonly TaskDefinition[], make: () => Promise<Tasks>): Tasks {
  let made: Promise<Tasks> | undefined;
  const tasks = (): Promise<Tasks> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    definitions: new Map(definitions.map((definition) => [definition.name, definition])),
    start: async (...call) => (await tasks()).start(...call),
    read: async (...call) => (await tasks()).read(...call),
    answer: async (...call) => (await tasks()).answer(...call),
    refuse: async (...call) => (await tasks()).refuse(...call),
    cancel: async (...call) => (await tasks()).cancel(...call),
    list: async (...call) => (await tasks()).list(...call),
    markSent: async (...call) => (await tasks()).markSent(...call),
  };
}
