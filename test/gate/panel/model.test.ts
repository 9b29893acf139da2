import { describe, expect, it } from 'vitest';
import { parseLogLine } from '../../../src/cli/reports/why/log-line.js';
import { replay } from '../../../src/cli/reports/why/replay.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { reportFields } from '../../../src/core/telemetry/report-fields.js';
import { EXTENSION_ID, METHODS, read } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';
import { type Host, hostV1, hostV2, namesOf, textOf } from './hosts.js';

const POLICY = `
concerns:
  security: { values: [low, high], model: narrow }
  topic: { description: What it is about, values: [vault, logs], multiple: true, model: free }
  budget: { values: { min: 0, max: 10 }, model: free }
  access: { values: [read, write] }
presets:
  safe: { security: high }
primitives:
  tools:
    encryptData: { security: high, topic: vault, access: read }
    logData: { security: low, topic: logs, access: write }
    validateData: { security: low, topic: vault, budget: 5 }
`;
const policyWith = (settings: string) => policyOf(`${POLICY}settings: { unmapped: hide, ${settings} }\n`);
const ON = policyWith('panel: on');

const LEGACY: readonly [string, typeof hostV1][] = [
  ['SDK v1', hostV1],
  ['SDK v2', (options) => hostV2('legacy', options)],
];

const call = (host: Host, args: object = {}) =>
  host.request('tools/call', { name: 'concerns', arguments: args });
const toolsOf = async (host: Host) =>
  namesOf(await host.request('tools/list'), 'tools').filter((name) => name !== 'concerns');
const person = (host: Host, args: object) =>
  host.request('prompts/get', { name: 'concerns', arguments: args });
const definition = async (host: Host) => {
  const { tools } = await host.request('tools/list');
  return (tools as { name: string }[]).find(({ name }) => name === 'concerns');
};

describe.each(LEGACY)('a model with %s', (_name, host) => {
  it('finds only what is open to it in the tool, which then is not read-only', async () => {
    const tool = await definition(await host({ policy: ON }));
    expect(tool).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: false },
      inputSchema: {
        properties: {
          security: { type: 'string', enum: ['low', 'high', 'any'] },
          topic: { type: 'array', items: { enum: ['vault', 'logs', 'any'] } },
          budget: { anyOf: [{ type: 'number', minimum: 0, maximum: 10 }, { enum: ['any'] }] },
        },
      },
    });
    expect(Object.keys(read(tool, 'inputSchema', 'properties') ?? {})).not.toContain('access');
    const closed = await definition(await host({ policy: policyWith('panel: read-only') }));
    expect(closed).toMatchObject({ annotations: { readOnlyHint: true }, inputSchema: { properties: {} } });
  });

  it('is told what to do when it tries to set a concern of people', async () => {
    const on = await host({ policy: ON });
    for (const args of [{ access: 'read' }, { topic: ['vault'], access: 'read' }, { preset: 'safe' }]) {
      const answer = await call(on, args);
      expect(answer.isError).toBe(true);
      expect(textOf(answer)).toContain('is for people to change, not for a model. A person can change');
    }
    for (const [args, words] of [
      [{ topc: ['vault'] }, 'Did you mean "topic"? Nothing changed.'],
      [
        { topic: ['vualt'] },
        '"vualt" is not a valid value for topic (one or more of vault, logs). Did you mean "vault"?',
      ],
      [{ budget: 11 }, '11 is not a valid value for budget (a number from 0 to 10).'],
      [{ security: 7 }, 'Nothing changed.'],
    ] as const) {
      const answer = await call(on, args);
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining(words)]);
    }
    expect(await toolsOf(on)).toHaveLength(3);
  });

  it('only narrows where it may only narrow, also after the person changes something else', async () => {
    const on = await host({ policy: ON });
    await person(on, { security: 'high' });
    expect(await toolsOf(on)).toEqual(['encryptData']);
    const answer = await call(on, { security: 'low' });
    expect(textOf(answer)).toContain('1 that were shown are hidden now.');
    expect(textOf(answer)).toContain('security high, narrowed by the model to low');
    expect(await toolsOf(on)).toEqual([]);
    await person(on, { access: 'read' });
    expect(await toolsOf(on)).toEqual([]);
    expect(textOf(await call(on, { security: 'any' }))).toContain('Shown now: encryptData.');
    await call(on, { security: 'low' });
    // The person decides about the concern again, with the same value.
    await person(on, { security: 'high' });
    expect(await toolsOf(on)).toEqual(['encryptData']);
  });

  it('replaces values where it is free, and is told how to come back', async () => {
    const on = await host({ policy: ON });
    await person(on, { topic: 'logs' });
    expect(await toolsOf(on)).toEqual(['logData']);
    const missed = textOf(await call(on));
    expect(missed).toContain('2 more tools with other values of topic: vault 2, any 2.');
    const answer = await call(on, { topic: ['vault'] });
    expect(textOf(answer)).toContain('Shown now: encryptData, validateData.');
    expect(textOf(answer)).toContain('topic vault (chosen by the model)');
    await expect.poll(() => on.notified).toContain('notifications/tools/list_changed');
    expect(await toolsOf(on)).toEqual(['encryptData', 'validateData']);
    await call(on, { topic: ['any'] });
    expect(await toolsOf(on)).toHaveLength(3);
    // Another concern of the person leaves it alone; the same concern, a preset and `updateConcerns` do not.
    await person(on, { access: 'read' });
    expect(await toolsOf(on)).toEqual(['encryptData', 'validateData']);
    await person(on, { topic: 'logs', access: 'any' });
    expect(await toolsOf(on)).toEqual(['logData']);
    await call(on, { topic: ['any'], budget: 3 });
    await on.request('prompts/get', { name: 'concerns-safe' });
    expect(await toolsOf(on)).toEqual(['encryptData']);
    await call(on, { security: 'low' });
    await on.request(METHODS.updateConcerns, { concerns: {} });
    expect(await toolsOf(on)).toHaveLength(3);
  });

  it('is told which tools are hidden, and adds exactly those that it names', async () => {
    const on = await host({ policy: ON });
    await person(on, { topic: 'logs', access: 'read' });
    expect(await toolsOf(on)).toEqual([]);
    const listed = await call(on, { list: true, find: '', show: [] });
    // `access` is for people, so what it hides is not named.
    expect(textOf(listed)).toBe('topic vault:\nencryptData: encryptData\nvalidateData: validateData');
    expect(textOf(await call(on, { find: 'DATA encrypt' }))).not.toContain('validateData');
    expect(textOf(await call(on, { find: 'nothing' }))).toContain('No hidden tool contains all');
    for (const [args, words] of [
      [
        { show: ['encryptData', 'logData'] },
        '"logData" is not a hidden tool that you can show. Nothing changed.',
      ],
      [{ show: ['encrypData'] }, 'Did you mean "encryptData"? Nothing changed.'],
      [{ show: [7] }, '"7" is not a hidden tool'],
      [{ show: ['encryptData'], topic: ['vault'] }, 'in a call of its own. Nothing changed.'],
    ] as const) {
      const answer = await call(on, args);
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining(words)]);
    }
    expect(await toolsOf(on)).toEqual([]);
    const answer = await call(on, { show: ['encryptData'] });
    expect(textOf(answer)).toContain('Shown now: encryptData.');
    expect(textOf(answer)).toContain('Added by the model: encryptData.');
    await expect.poll(() => on.notified).toContain('notifications/tools/list_changed');
    expect(await toolsOf(on)).toEqual(['encryptData']);
    // The person's other concerns still hide it, and another choice of the topic undoes it.
    await person(on, { security: 'low' });
    expect(await toolsOf(on)).toEqual([]);
    await person(on, { security: 'any' });
    expect(await toolsOf(on)).toEqual(['encryptData']);
    await person(on, { topic: 'logs' });
    expect(await toolsOf(on)).toEqual([]);
  });

  it('sets nothing where people can only look', async () => {
    for (const settings of ['panel: read-only', 'panel: on, enforcement: shadow']) {
      const on = await host({ policy: policyWith(settings) });
      const answer = await call(on, { topic: ['vault'] });
      expect([answer.isError, textOf(answer)]).toEqual([
        true,
        expect.stringContaining('cannot be changed here'),
      ]);
    }
  });
});

it('sets nothing in 2026-07-28, where nothing is kept', async () => {
  const on = await hostV2('modern', { policy: ON });
  expect(await definition(on)).toBeUndefined();
  const caller = await hostV2('modern', { policy: ON, verified: true });
  expect(await definition(caller)).toMatchObject({
    annotations: { readOnlyHint: true },
    inputSchema: { properties: {} },
  });
  for (const args of [{ topic: ['vault'] }, { list: true }, { find: 'data' }, { show: ['encryptData'] }]) {
    const answer = await call(on, args);
    expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining('?concerns=NAME:VALUE')]);
  }
});

describe('the values of a model', () => {
  const lists = {
    'tools/list': [{ name: 'encryptData' }, { name: 'logData' }, { name: 'validateData' }],
  };
  const ask = async (harness: Harness, method: string, params: object = {}): Promise<unknown> => {
    const id = `r${harness.toServer.length}-${harness.toClient.length}`;
    harness.request(id, method, params);
    await expect.poll(() => harness.answers(id)).toHaveLength(1);
    return harness.answers(id)[0];
  };
  const set = (harness: Harness, args: object) =>
    ask(harness, 'tools/call', { name: 'concerns', arguments: args });
  const namesIn = async (harness: Harness, params: object = {}) => {
    const tools = read(await ask(harness, 'tools/list', params), 'result', 'tools');
    return (tools as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'concerns');
  };

  it('are weaker than the request, and stronger than the session and the URL', async () => {
    const harness = new Harness(ON).serve(lists);
    await ask(harness, METHODS.updateConcerns, { concerns: { topic: ['logs'] } });
    await set(harness, { topic: ['vault'] });
    expect(await namesIn(harness)).toEqual(['encryptData', 'validateData']);
    const _meta = { [EXTENSION_ID]: { concerns: { topic: ['logs'] } } };
    expect(await namesIn(harness, { _meta })).toEqual(['logData']);
    const http = { url: 'http://x.test/mcp?concerns=topic:logs' };
    harness.client({ jsonrpc: '2.0', id: 'url', method: 'tools/list' }, { http });
    expect(JSON.stringify(harness.answers('url'))).not.toContain('logData');
  });

  it('are in the report, beside those of the person', async () => {
    const harness = new Harness(ON).serve(lists);
    await ask(harness, METHODS.updateConcerns, { concerns: { security: 'high' } });
    await set(harness, { security: 'low', topic: ['vault'] });
    const listed = await ask(harness, 'tools/list');
    expect(harness.reports.at(-1)).toMatchObject({
      concerns: { security: 'high', topic: ['vault'] },
      sources: { security: 'session', topic: 'model' },
      model: { security: 'low', topic: ['vault'] },
      shown: 0,
      hidden: { concerns: { security: 3 } },
    });
    expect(read(listed, 'result', '_meta', EXTENSION_ID)).toMatchObject({ concerns: { security: 'high' } });
    // A log line of the report is enough to make the decision again.
    const report = harness.reports.at(-1);
    const line = report && JSON.stringify(reportFields({ ...report, policy: ON.digest }));
    const logged = parseLogLine(line ?? '');
    const catalog = { tools: lists['tools/list'] };
    expect(logged && replay(logged, ON, catalog)).toMatchObject({ same: true, intact: true });
    const forgotten = logged && replay({ ...logged, model: {} }, ON, catalog);
    expect(forgotten?.same).toBe(false);
  });

  it('are in the report with the tools that it added, until the request itself says something else', async () => {
    const harness = new Harness(ON).serve(lists);
    await ask(harness, METHODS.updateConcerns, { concerns: { topic: ['logs'] } });
    await set(harness, { show: ['encryptData'] });
    const catalog = { tools: lists['tools/list'] };
    const replayed = (line = harness.reports.at(-1)) => {
      const logged = line && parseLogLine(JSON.stringify(reportFields({ ...line, policy: ON.digest })));
      return logged && replay(logged, ON, catalog);
    };
    expect(await namesIn(harness)).toEqual(['encryptData', 'logData']);
    expect(harness.reports.at(-1)).toMatchObject({
      concerns: { topic: ['logs'] },
      sources: { topic: 'session' },
      model: { '+tools': ['encryptData'] },
      shown: 2,
    });
    expect(replayed()).toMatchObject({ same: true, intact: true });
    const _meta = { [EXTENSION_ID]: { concerns: { topic: ['logs'] } } };
    expect(await namesIn(harness, { _meta })).toEqual(['logData']);
    expect(replayed()).toMatchObject({ same: true, intact: true });
  });

  it('do not turn on the defaults of other concerns', async () => {
    const policy = policyOf(`
concerns:
  topic: { values: [vault, logs], model: free }
  security: { values: [low, high], default: high }
primitives: { tools: { encryptData: { security: low, topic: vault }, logData: { topic: logs } } }
settings: { panel: on }
`);
    const harness = new Harness(policy).serve(lists);
    await set(harness, { topic: 'vault' });
    expect(await namesIn(harness)).toEqual(['encryptData', 'validateData']);
    await ask(harness, METHODS.updateConcerns, { concerns: { topic: 'vault' } });
    expect(await namesIn(harness)).toEqual(['validateData']);
    await set(harness, { topic: 'any' });
    expect(await namesIn(harness)).toEqual(['logData', 'validateData']);
  });

  it('follow the policy that is in force', async () => {
    const harness = new Harness(ON).serve(lists);
    await ask(harness, METHODS.updateConcerns, { concerns: { topic: ['logs'] } });
    await set(harness, { topic: ['vault'] });
    const replaced = (model: string, panel = 'on') =>
      policyOf(
        `${POLICY.replace('multiple: true, model: free', `multiple: true, model: ${model}`)}settings: { unmapped: hide, panel: ${panel} }\n`,
      );
    harness.live.replace(replaced('narrow'));
    expect(await namesIn(harness)).toEqual([]);
    harness.live.replace(replaced('none'));
    expect(await namesIn(harness)).toEqual(['logData']);
    expect(harness.reports.at(-1)?.warnings).toMatchObject([{ code: 'not-for-model' }]);
    // Where nobody can undo them, they do not apply.
    harness.live.replace(replaced('free', 'read-only'));
    expect(await namesIn(harness)).toEqual(['logData']);
    harness.live.replace(ON);
    expect(await namesIn(harness)).toEqual(['encryptData', 'validateData']);
  });

  it('are kept in the store, for the next process', async () => {
    const store = createMemoryStore();
    const connect = () => new Harness(ON, { place: 'store', store, id: 's1' }).serve(lists);
    await ask(connect(), METHODS.updateConcerns, { concerns: { access: 'read' } });
    await set(connect(), { topic: ['vault'] });
    expect(await namesIn(connect())).toEqual(['encryptData', 'validateData']);
    expect(await store.read('s1')).toEqual({
      state: 'live',
      record: { concerns: { access: 'read' }, model: { topic: ['vault'] } },
    });
    await store.end('s1');
    expect(read(await set(connect(), { topic: ['logs'] }), 'result')).toMatchObject({ isError: true });
  });
});
