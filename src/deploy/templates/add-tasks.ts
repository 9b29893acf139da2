import { createDeployedTasks, type Tasks, withTasks } from 'mcp-concerns/tasks';

let deployed: Tasks | undefined;

/**
 * Adds the tasks that a server module exports to a server. It is a module of its own, so that a function loads the code of tasks
 * only if there are some.
 */
export const addTasks = <Server extends object>(server: Server, tasks: unknown): Server => {
  deployed ??= createDeployedTasks(tasks);
  return withTasks(server, deployed);
};
