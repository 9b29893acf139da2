import { build } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../src/tasks/author/definition.js';
import { jsonProblem } from '../../src/tasks/author/json-value.js';
import { answerable, defineTask, TaskDefinitionError } from '../../src/tasks/index.js';

describe('defineTask', () => {
  const good = { name: 'report', inputSchema: { type: 'object' }, run: () => 'done' } as const;

  it('fills in the defaults', () => {
    expect(defineTask(good)).toMatchObject({ support: 'required', ttlSeconds: 86_400 });
  });

  it.each([
    ['a name with spaces', { name: 'my report' }, /"my report".*its name/],
    ['an empty name', { name: '' }, /its name/],
    ['an unknown support', { support: 'forbidden' }, /support must be/],
    ['a life of zero', { ttlSeconds: 0 }, /ttlSeconds/],
    ['an endless life', { ttlSeconds: Number.POSITIVE_INFINITY }, /ttlSeconds/],
    ['no function', { run: undefined }, /run must be a function/],
    ['a schema of an array', { inputSchema: { type: 'array' } }, /inputSchema must be/],
    ['no schema', { inputSchema: undefined }, /inputSchema must be/],
  ])('refuses %s', (_case, change, message) => {
    const options = JSON.parse(JSON.stringify({ ...good, ...change }));
    const run = 'run' in change ? change.run : good.run;
    const infinite = 'ttlSeconds' in change ? { ttlSeconds: change.ttlSeconds } : {};
    const define = () => defineTask({ ...options, ...infinite, run });
    expect(define).toThrow(TaskDefinitionError);
    expect(define).toThrow(message);
  });

  it('types the arguments, answers and branches', () => {
    defineTask({
      name: 'typed',
      inputSchema: z.object({ topic: z.string(), rows: z.number().default(3) }),
      run: async (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<{ topic: string; rows: number }>();
        const [first, second] = await ctx.all('both', [
          async () => 'text',
          async (branch) => branch.step('n', () => 7),
        ]);
        expectTypeOf(first).toEqualTypeOf<string>();
        expectTypeOf(second).toEqualTypeOf<number>();
        const answer = await ctx.ask('name', {
          method: 'elicitation/create',
          params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
        });
        expectTypeOf(answer.action).toEqualTypeOf<'accept' | 'decline' | 'cancel'>();
        // @ts-expect-error: tools cannot be called from a task.
        await ctx.ask('tool', { method: 'tools/call', params: { name: 'x' } });
        return `${first} ${second}`;
      },
    });
  });

  it('describes the schema of a library as JSON Schema', () => {
    const task = defineTask({ ...good, inputSchema: z.object({ topic: z.string() }) });
    expect(jsonSchemaOf(task)).toMatchObject({
      type: 'object',
      properties: { topic: { type: 'string' } },
      required: ['topic'],
    });
  });
});

describe('jsonProblem', () => {
  it('names the first part that JSON would lose or change', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = { cyclic };
    expect(jsonProblem({ rows: [{ at: new Date(0) }] })).toBe('.rows[0].at is a Date');
    expect(jsonProblem([1, undefined])).toBe('[1] is undefined');
    expect(jsonProblem({ n: Number.NaN })).toBe('.n is NaN');
    expect(jsonProblem(1n)).toBe('it is a bigint');
    expect(jsonProblem({ map: new Map() })).toBe('.map is a Map');
    expect(jsonProblem({ f() {} })).toBe('.f is a function');
    expect(jsonProblem(cyclic)).toBe('.self.cyclic contains itself');
  });

  it('accepts what JSON keeps, and a missing value', () => {
    const shared = { a: 1 };
    for (const value of [
      undefined,
      null,
      'x',
      0,
      { a: undefined, b: [shared, shared] },
      Object.create(null),
    ]) {
      expect(jsonProblem(value)).toBeUndefined();
    }
  });
});

describe('answerable', () => {
  it.each([
    [{ elicitation: {} }, ['elicitation.form']],
    [{ elicitation: { form: {}, url: {} } }, ['elicitation.form', 'elicitation.url']],
    [{ elicitation: { url: {} } }, ['elicitation.url']],
    [{ sampling: {}, roots: { listChanged: true } }, ['sampling', 'roots']],
    [{}, []],
    [undefined, []],
    ['elicitation', []],
    [Object.create({ elicitation: {} }), []],
  ])('reads %j', (capabilities, kinds) => {
    expect(answerable(capabilities)).toEqual(kinds);
  });
});

describe('the bundle of an endpoint with tasks', () => {
  it('loads nothing of AWS, and no validator, before the first task call', async () => {
    const { metafile } = await build({
      stdin: {
        contents: `
          import { createTasks, defineTask } from './src/tasks/index.ts';
          import { createDynamoRecords } from './src/tasks/dynamodb/index.ts';
          import { createDurableEngine } from './src/tasks/durable/index.ts';
          const definitions = [defineTask({ name: 'a', inputSchema: { type: 'object' }, run: () => 'a' })];
          const engine = createDurableEngine({ functionArn: process.env.ARN });
          export const tasks = createTasks({ definitions, records: createDynamoRecords({ table: 't' }), engine });`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      splitting: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      outdir: 'none',
      write: false,
      metafile: true,
      logLevel: 'warning',
    });
    // What the entry loads when it is imported: static imports only.
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const imports = metafile.outputs[file]?.imports ?? [];
      for (const { path, kind } of imports) if (kind === 'import-statement') load(path);
    };
    const entry = Object.keys(metafile.outputs).find(
      (file) => metafile.outputs[file]?.entryPoint === '<stdin>',
    );
    load(entry ?? '');
    const outputs = [...loaded].flatMap((file) => metafile.outputs[file] ?? []);
    const modules = outputs.flatMap(({ inputs }) => Object.keys(inputs));
    // The digests of session ids need it, and it has no validator.
    const others = modules.filter((module) => !module.includes('@noble/hashes'));
    expect(others.filter((module) => module.includes('node_modules'))).toEqual([]);
    expect(modules.length).toBeGreaterThan(15);
    expect(outputs.reduce((bytes, output) => bytes + output.bytes, 0)).toBeLessThan(41_000);
    const all = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(all.some((module) => module.includes('@aws-sdk/client-lambda'))).toBe(true);
  });
});
