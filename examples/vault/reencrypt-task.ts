import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  defineTask,
  type StepContext,
  TaskCancelled,
  type TaskContext,
  type TaskDefinition,
  TaskQuestionError,
} from 'mcp-concerns/tasks';
import * as z from 'zod';
import { id } from './inputs.js';
import { LIMITS } from './limits.js';
import { ADDS_ONCE, failure, type Reply, success } from './tool-reply.js';
import type { Vault } from './vault.js';

const reencryptInput = z.strictObject({ keyId: id.default('default') });

/**
 * Defines the tool that runs as a task. It asks the user before it changes records.
 *
 * The vault is in the memory of its process, so the task must run in the same process. On AWS Lambda, a vault that outlives
 * an environment would need a database.
 */
export function defineReencryptTask(vault: Vault): TaskDefinition {
  return defineTask({
    name: 'reencryptAll',
    description:
      'Re-encrypt all records with the newest version of a key, as a task; records that already use it are skipped.',
    inputSchema: reencryptInput,
    annotations: { ...ADDS_ONCE },
    support: 'optional',
    ttlSeconds: LIMITS.taskSeconds,
    run: async ({ keyId }, ctx) => {
      // Errors become values here, because a step keeps every message, and only those of the vault are free of secrets.
      const outdated = await ctx.step('count', () => {
        try {
          vault.keys.assertEncrypts(keyId);
          return vault.records.outdated(keyId).length;
        } catch (error) {
          return failure(error);
        }
      });
      if (typeof outdated !== 'number') return outdated;
      if (outdated > 0 && !(await confirm(ctx, outdated, keyId))) {
        return success({ keyId, records: vault.records.list().length, reencrypted: 0 });
      }
      return ctx.step('re-encrypt', async ({ progress }) => {
        try {
          return success(await reencrypt(vault, keyId, progress));
        } catch (error) {
          if (error instanceof TaskCancelled) throw error;
          return failure(error);
        }
      });
    },
  });
}

/** Asks the user. A host that cannot ask has confirmed with its call, because no record is lost. */
async function confirm(ctx: TaskContext, records: number, keyId: string): Promise<boolean> {
  try {
    const { action, content } = await ctx.ask('confirm', {
      method: 'elicitation/create',
      params: {
        message: `Re-encrypt ${records} ${records === 1 ? 'record' : 'records'} under the key "${keyId}"?`,
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: 'Re-encrypt', default: true } },
          required: ['confirm'],
        },
      },
    });
    return action === 'accept' && content?.confirm === true;
  } catch (error) {
    if (error instanceof TaskQuestionError) return true;
    throw error;
  }
}

/** Throws `TaskCancelled` if the task was canceled. Records that are re-encrypted by then stay so; all stay readable. */
async function reencrypt(vault: Vault, keyId: string, progress: StepContext['progress']): Promise<Reply> {
  const { records, log } = vault;
  const ids = records.list().map((record) => record.id);
  let changed = 0;
  for (const [index, recordId] of ids.entries()) {
    await nextTurn();
    if (records.reencrypt(recordId, keyId)) changed += 1;
    try {
      await progress(`${index + 1} of ${ids.length} records`);
    } catch (error) {
      log.record(
        `Re-encryption under key "${keyId}" was stopped after ${index + 1} of ${ids.length} records.`,
        'warning',
      );
      throw error;
    }
  }
  log.record(`All records are under key "${keyId}"; ${changed} of ${ids.length} were re-encrypted.`);
  return { keyId, records: ids.length, reencrypted: changed };
}
