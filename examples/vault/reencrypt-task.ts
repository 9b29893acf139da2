import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTerminal } from '@modelcontextprotocol/sdk/experimental/tasks';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { id } from './inputs.js';
import { ADDS_ONCE, failure, type Reply, success } from './tool-reply.js';
import type { Vault } from './vault.js';

const POLL_MILLISECONDS = 100;

const reencryptInput = z.strictObject({ keyId: id.default('default') });

/**
 * Adds the one tool that runs as a task.
 *
 * The task belongs to the vault, not to the server that started it: a server that lives for one request is gone
 * before the work is done, and the next one answers for the task. On AWS Lambda the work pauses with its environment
 * and goes on with the next request that reaches it.
 */
export function addReencryptTask(server: McpServer, vault: Vault): void {
  server.experimental.tasks.registerToolTask(
    'reencryptAll',
    {
      description:
        'Re-encrypt all records under the newest version of a key, as a task; records that are under it already stay.',
      inputSchema: reencryptInput,
      annotations: ADDS_ONCE,
      execution: { taskSupport: 'optional' },
    },
    {
      createTask: async (args, { taskStore, taskRequestedTtl, sessionId }) => {
        // Checked by the SDK already, which passes them on without their type.
        const { keyId } = reencryptInput.parse(args);
        const ttl = taskRequestedTtl ?? null;
        const task = await taskStore.createTask({ ttl, pollInterval: POLL_MILLISECONDS });
        void run(vault, { taskId: task.taskId, sessionId }, keyId);
        return { task };
      },
      getTask: (_args, { taskStore, taskId }) => taskStore.getTask(taskId),
      getTaskResult: async (_args, { taskStore, taskId }) =>
        CallToolResultSchema.parse(await taskStore.getTaskResult(taskId)),
    },
  );
}

interface TaskHandle {
  readonly taskId: string;
  readonly sessionId: string | undefined;
}

/**
 * Does the work and never rejects: nobody waits for it.
 *
 * It writes to the vault's task store rather than to the request's, which also notifies the client of the request,
 * and would fail where that client has long gone.
 */
async function run(vault: Vault, { taskId, sessionId }: TaskHandle, keyId: string): Promise<void> {
  try {
    const reply = await reencrypt(vault, { taskId, sessionId }, keyId);
    if (reply) await vault.tasks.storeTaskResult(taskId, 'completed', success(reply), sessionId);
  } catch (error) {
    // Storing a failure fails in its turn if the task was cancelled or has expired; then nobody asks for it.
    await vault.tasks.storeTaskResult(taskId, 'failed', failure(error), sessionId).catch(() => undefined);
  }
}

/** Gives nothing if the task was cancelled midway: what was re-encrypted stays so, and every record stays readable. */
async function reencrypt(vault: Vault, handle: TaskHandle, keyId: string): Promise<Reply | undefined> {
  const { records, keys, tasks, log } = vault;
  const { taskId, sessionId } = handle;
  keys.assertEncrypts(keyId);
  const ids = records.list().map((record) => record.id);
  let changed = 0;
  for (const [index, recordId] of ids.entries()) {
    await nextTurn();
    const task = await tasks.getTask(taskId, sessionId);
    if (!task || isTerminal(task.status)) {
      log.record(
        `Re-encryption under key "${keyId}" was stopped after ${index} of ${ids.length} records.`,
        'warning',
      );
      return undefined;
    }
    if (records.reencrypt(recordId, keyId)) changed += 1;
    await tasks.updateTaskStatus(taskId, 'working', `${index + 1} of ${ids.length} records`, sessionId);
  }
  log.record(`All records are under key "${keyId}"; ${changed} of ${ids.length} were re-encrypted.`);
  return { keyId, records: ids.length, reencrypted: changed };
}
