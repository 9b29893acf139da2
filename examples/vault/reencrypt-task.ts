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
 * Adds the tool that runs as a task.
 *
 * The vault keeps the task, because a server exists for one request only, and later servers answer requests about the
 * task. On AWS Lambda the work pauses with its environment, and continues with the next request to that environment.
 */
export function addReencryptTask(server: McpServer, vault: Vault): void {
  server.experimental.tasks.registerToolTask(
    'reencryptAll',
    {
      description:
        'Re-encrypt all records with the newest version of a key, as a task; records that already use it are skipped.',
      inputSchema: reencryptInput,
      annotations: ADDS_ONCE,
      execution: { taskSupport: 'optional' },
    },
    {
      createTask: async (args, { taskStore, taskRequestedTtl, sessionId }) => {
        // The SDK has checked the arguments, but does not pass their type.
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
 * Runs the task. It never rejects, because nothing awaits it.
 *
 * It uses the vault's task store. The task store of the request would also notify the client of that request, and fail
 * if the client has disconnected.
 */
async function run(vault: Vault, { taskId, sessionId }: TaskHandle, keyId: string): Promise<void> {
  try {
    const reply = await reencrypt(vault, { taskId, sessionId }, keyId);
    if (reply) await vault.tasks.storeTaskResult(taskId, 'completed', success(reply), sessionId);
  } catch (error) {
    // If the task was canceled or has expired, its result cannot be stored and is not needed.
    await vault.tasks.storeTaskResult(taskId, 'failed', failure(error), sessionId).catch(() => undefined);
  }
}

/** Returns `undefined` if the task was canceled. Records that are re-encrypted by then stay so; all stay readable. */
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
