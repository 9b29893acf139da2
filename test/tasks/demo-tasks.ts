import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTask, TaskProtocolError, type TaskQuestion } from '../../src/tasks/index.js';

/** The folder where effects are noted, one line each. Processes of the same test share it. */
const folder = process.env.TASK_EFFECTS;
const effect = (line: string): void => {
  if (folder !== undefined) appendFileSync(join(folder, 'effects'), `${line}\n`);
};
/** Notes that a step begins, and kills this process if it is the first time. */
const begin = (step: string, taskId: string): void => {
  effect(`${taskId} ${step}`);
  const mark = join(folder ?? '', `died-${taskId}-${step}`);
  if (process.env.TASK_DIE !== 'yes' || existsSync(mark)) return;
  writeFileSync(mark, '');
  process.kill(process.pid, 'SIGKILL');
};

const form = (message: string) => {
  const properties = { name: { type: 'string' } } as const;
  return {
    method: 'elicitation/create' as const,
    params: { message, requestedSchema: { type: 'object' as const, properties, required: ['name'] } },
  } satisfies TaskQuestion;
};

/** How often steps of a task ran in this process. */
const tries = new Map<string, number>();

/** Twenty minutes, two questions, several steps. */
const report = defineTask({
  name: 'report',
  description: 'Writes a report.',
  inputSchema: z.object({ topic: z.string().default('rain') }),
  run: async ({ topic }, ctx) => {
    const rows = await ctx.step('collect', async ({ progress }) => {
      begin('collect', ctx.taskId);
      await progress('1 of 3: collecting');
      return [7, 11];
    });
    await ctx.sleep('cool down', 600);
    const author = await ctx.ask('author', form('Who writes?'));
    const sums = await ctx.all('sums', [
      (branch) =>
        branch.step('first', () => {
          begin('first', ctx.taskId);
          return rows[0];
        }),
      async (branch) => {
        await branch.sleep('pause', 60);
        return branch.step('second', () => {
          begin('second', ctx.taskId);
          return rows[1];
        });
      },
    ]);
    await ctx.progress('2 of 3: waiting for a signature');
    const signer = await ctx.ask('signer', form('Who signs?'));
    await ctx.sleep('dry', 540);
    return ctx.step('sign', () => {
      begin('sign', ctx.taskId);
      return `${sums.join('+')} rows on ${topic} by ${author.content?.name}, signed by ${signer.content?.name}`;
    });
  },
});

const quick = defineTask({
  name: 'quick',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  support: 'optional',
  run: async (args) => `quick ${String(args.text)}`,
});

const ask = defineTask({
  name: 'ask',
  inputSchema: { type: 'object' },
  run: async (_args, ctx) => {
    const answer = await ctx.ask('name', form('Who?'));
    return `${answer.action} ${answer.content?.name}`;
  },
});

const long = defineTask({
  name: 'long',
  inputSchema: { type: 'object' },
  run: async (_args, ctx) => {
    await ctx.step('rows', async ({ progress }) => {
      for (let row = 0; row < 200; row++) {
        effect(`row ${row}`);
        await progress(`row ${row}`);
        await sleep(20);
      }
    });
    return 'never';
  },
});

const task = (name: string, run: Parameters<typeof defineTask>[0]['run']) =>
  defineTask({ name, inputSchema: { type: 'object' }, run });

export const definitions = [
  report,
  quick,
  ask,
  long,
  task('nothing', async () => undefined),
  task('whole', async () => ({ content: [{ type: 'text', text: 'whole' }], structuredContent: { rows: 1 } })),
  task('large', async () => 'x'.repeat(200_000)),
  task('too-large', async () => 'x'.repeat(1_100_000)),
  task('throws', async () => {
    throw new Error('no luck');
  }),
  task('is-error', async () => ({ isError: true, content: [{ type: 'text', text: 'bad input' }] })),
  task('protocol-error', async (_args, ctx) => {
    await ctx.step('look up', () => {
      throw new TaskProtocolError(-32602, 'no such row', { row: 1 });
    });
    return 'never';
  }),
  task('step-fails', async (_args, ctx) => {
    await ctx.step('disk', () => {
      effect('try disk');
      throw new Error('disk full');
    });
    return 'never';
  }),
  task('step-recovers', async (_args, ctx) => {
    const [first] = await ctx.all('both', [
      async (branch) => {
        try {
          await branch.step('disk', () => {
            throw new RangeError('disk full');
          });
          return 'never';
        } catch (error) {
          return error instanceof Error ? `${error.name}: ${error.message}` : 'not an error';
        }
      },
      (branch) => branch.step('other', () => 2),
    ]);
    return first;
  }),
  task('retries', async (_args, ctx) => {
    return ctx.step(
      'flaky',
      () => {
        const count = (tries.get(ctx.taskId) ?? 0) + 1;
        tries.set(ctx.taskId, count);
        if (count < 3) throw new Error('busy');
        return `third time lucky, after ${count} tries`;
      },
      { retries: 3 },
    );
  }),
  task('branch-fails', async (_args, ctx) => {
    await ctx.all('both', [
      (branch) => branch.step('good', () => effect('good')),
      (branch) =>
        branch.step('bad', () => {
          throw new Error('bad branch');
        }),
    ]);
    return 'never';
  }),
  task('random', async (_args, ctx) => {
    await ctx.step(`step ${Math.random()}`, () => 1);
    await ctx.ask('name', form('Who?'));
    return 'never';
  }),
  task('hides-random', async (_args, ctx) => {
    try {
      await ctx.step(`step ${Math.random()}`, () => 1);
      await ctx.ask('name', form('Who?'));
    } catch {
      // The engine keeps the first broken rule.
    }
    return 'hidden';
  }),
  task('overlaps', async (_args, ctx) => {
    await Promise.all([ctx.step('a', () => 1), ctx.step('b', () => 2)]);
    return 'never';
  }),
  task('hides-overlap', async (_args, ctx) => {
    await Promise.allSettled([ctx.step('a', () => 1), ctx.step('b', () => 2)]);
    return 'hidden';
  }),
  task('nests', async (_args, ctx) => {
    await ctx.step('outer', () => ctx.step('inner', () => 1));
    return 'never';
  }),
  task('forgets', async (_args, ctx) => {
    void ctx.step('forgotten', () => sleep(20)).catch(() => undefined);
    return 'never';
  }),
  task('returns-date', async (_args, ctx) => {
    await ctx.step('date', () => ({ rows: [{ at: new Date(0) }] }));
    return 'never';
  }),
  task('asks-twice', async (_args, ctx) => {
    await ctx.ask('name', form('Who?'));
    await ctx.ask('name', form('Who?'));
    return 'never';
  }),
  task('sleeps-back', async (_args, ctx) => {
    await ctx.sleep('back', -1);
    return 'never';
  }),
  task('no-content', async () => JSON.parse('{"text":"no content"}')),
];
