/** Runs the tasks of a server module as a durable function. */
import './secrets.js';
import { readExportedTasks } from 'mcp-concerns/tasks';
import { createTaskWorker, type TaskWorker } from 'mcp-concerns/tasks/durable';
import { createDynamoRecords } from 'mcp-concerns/tasks/dynamodb';
import type { WorkerValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: WorkerValues;

// The module of the tasks may read the secrets, so it is imported after them.
const { tasks } = await import(MCP_CONCERNS_FUNCTION.exportedTasks);

export const handler: TaskWorker = createTaskWorker({
  definitions: readExportedTasks(tasks, MCP_CONCERNS_FUNCTION.module),
  records: createDynamoRecords({ table: process.env.MCP_CONCERNS_TASKS_TABLE ?? '' }),
});
