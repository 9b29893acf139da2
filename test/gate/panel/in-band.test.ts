import { afterEach, describe, expect, it, vi } from 'vitest';
import { LONGEST_WAIT } from '../../../src/core/gate/edge/ask-person.js';
import { createHandler } from '../../../src/core/http/sdk-v1.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { serverV1 } from '../../behavior/servers.js';
import { Harness, policyOf } from '../gate-harness.js';
import { type Host, hostV1, hostV2, namesOf, type Person, textOf } from './hosts.js';

const POLICY = `
concerns:
  security: { values: [low, high] }
  speed: { values: { min: 0, max: 10 } }
  tenant: { values: [a, b], set-by: operator, claim: tenant }
presets:
  safe: { security: high }
primitives:
  tools: { encryptData: { security: high }, logData: { security: low }, storeRecord: { security: high, tenant: a } }
`;
const withPanel = (panel: string, settings = '') =>
  policyOf(`${POLICY}settings: { panel: ${panel}${settings} }\n`);
const ON = withPanel('on');
const OWN = ['encryptData', 'logData', 'validateData'];
const APP = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

const LEGACY: readonly [string, typeof hostV1][] = [
  ['SDK v1', hostV1],
  ['SDK v2', (options) => hostV2('legacy', options)],
];
const ALL: readonly [string, typeof hostV1][] = [
  ...LEGACY,
  ['SDK v2, 2026-07-28', (options) => hostV2('modern', { verified: true, ...options })],
];

const call = (host: Host, args: object = {}, name = 'concerns') =>
  host.request('tools/call', { name, arguments: args });
const toolsOf = async (host: Host) => namesOf(await host.request('tools/list'), 'tools');

describe.each(ALL)('in the lists of %s', (_name, host) => {
  it('is nothing under panel: off, and by default', async () => {
    const [off, unset] = [await host({ policy: withPanel('off') }), await host({ policy: policyOf(POLICY) })];
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) {
      expect(await off.request(method)).toEqual(await unset.request(method));
    }
    expect(off.capabilities).toEqual(unset.capabilities);
    expect(await toolsOf(off)).toEqual(OWN);
    const refused = await call(off).then(JSON.stringify, ({ message }: Error) => message);
    expect(refused).toContain('not found');
  });

  it('is the tool, which says what is shown', async () => {
    const on = await host({ policy: ON });
    expect(await toolsOf(on)).toEqual([...OWN, 'concerns']);
    expect(textOf(await call(on))).toMatch(/^3 of 3 tools are shown \(about \d+ of \d+ tokens\)/);
  });

  it('is only the tool under panel: read-only, and under shadow', async () => {
    for (const policy of [withPanel('read-only'), withPanel('on', ', enforcement: shadow')]) {
      const readOnly = await host({
        policy,
        person: () => ({ action: 'accept', content: { preset: 'safe' } }),
      });
      expect(await toolsOf(readOnly)).toContain('concerns');
      expect(namesOf(await readOnly.request('prompts/list'), 'prompts')).not.toContain('concerns');
      const answer = await call(readOnly);
      expect(textOf(answer)).toContain('No preferences are in effect.');
      // A host that listed the prompts before the policy changed gets a sentence, and not an unknown prompt.
      for (const get of [{ name: 'concerns-safe' }, { name: 'concerns', arguments: { security: 'high' } }]) {
        const { messages } = await readOnly.request('prompts/get', get);
        expect(JSON.stringify(messages)).toMatch(/Nothing changed\. .*settings/);
      }
      await expect(readOnly.request('prompts/get', { name: 'concerns-other' })).rejects.toThrow();
      expect(await toolsOf(readOnly)).toEqual(expect.arrayContaining([...OWN, 'concerns']));
    }
  });

  it('never lets the model change anything', async () => {
    const on = await host({ policy: ON });
    for (const args of [{ security: 'high' }, { preset: 'safe' }, { tenant: 'a' }]) {
      const answer = await call(on, args);
      expect(answer.isError).toBe(true);
      const isOperators = 'tenant' in args;
      expect(textOf(answer)).toContain(isOperators ? 'is set by the operator' : 'is for people to change');
    }
    expect(await toolsOf(on)).toEqual([...OWN, 'concerns']);
  });

  it('contains the tools of the page only for clients that show pages', async () => {
    const [plain, app] = [await host({ policy: ON }), await host({ policy: ON, capabilities: APP })];
    expect(await toolsOf(app)).toContain('concerns_read');
    await expect(plain.request('resources/read', { uri: 'ui://concerns/panel.html' })).rejects.toThrow();
    const refused = await call(plain, {}, 'concerns_read').then(
      JSON.stringify,
      ({ message }: Error) => message,
    );
    expect(refused).toContain('is reserved for switching');
    const { contents } = await app.request('resources/read', { uri: 'ui://concerns/panel.html' });
    expect(contents).toMatchObject([
      { mimeType: 'text/html;profile=mcp-app', text: expect.stringContaining('<') },
    ]);
    expect((await call(plain)).structuredContent).toBeUndefined();
    expect((await call(app)).structuredContent).toBeUndefined();
    expect((await call(app, {}, 'concerns_read')).structuredContent).toMatchObject({
      format: 1,
      withheld: expect.any(Number),
    });
  });
});

it('does not switch by prompts that a host reads all at once, one connection for each request', async () => {
  const store = createMemoryStore();
  const id = 'session-1';
  await store.update(id, { panel: { app: false, form: false } });
  const readAll = (...names: string[]) =>
    names.map((name) => {
      const harness = new Harness(ON, { place: 'store', store, id }).serve({ 'prompts/list': [] });
      harness.request(1, 'prompts/get', { name });
      return harness;
    });
  const kept = async () => {
    const session = await store.read(id);
    return session.state === 'live' ? session.record.concerns : session.state;
  };
  for (const harness of readAll('concerns-safe', 'concerns')) {
    await expect.poll(() => harness.answers(1)).toHaveLength(1);
  }
  expect(await kept()).toBeUndefined();
  for (const harness of readAll('concerns-safe')) await expect.poll(() => harness.answers(1)).toHaveLength(1);
  expect(await kept()).toMatchObject({ security: 'high' });
});

describe.each(LEGACY)('a person with %s', (_name, host) => {
  it('does not switch by prompts that the host reads all at once', async () => {
    const on = await host({ policy: ON });
    const prompts = namesOf(await on.request('prompts/list'), 'prompts');
    const readAll = () =>
      Promise.all(
        prompts.slice(-2).map((name) => {
          const args = name === 'concerns' ? { security: '$1' } : {};
          return on.request('prompts/get', { name, arguments: args });
        }),
      );
    // opencode reads all prompts when it starts, and answers the person with what it read.
    expect(JSON.stringify(await readAll())).toContain('This host reads prompts that nobody chose');
    expect(await toolsOf(on)).toEqual([...OWN, 'concerns']);
    expect(on.notified).toEqual([]);
    // Some hosts read all prompts, and ask again when a person chooses one.
    await on.request('prompts/get', { name: 'concerns-safe' });
    expect(await toolsOf(on)).toEqual(['encryptData', 'validateData', 'concerns']);
  });

  it('switches with the prompt of a preset, and the host is told', async () => {
    const on = await host({ policy: ON });
    expect(namesOf(await on.request('prompts/list'), 'prompts').slice(-2)).toEqual([
      'concerns-safe',
      'concerns',
    ]);
    const { messages } = await on.request('prompts/get', { name: 'concerns-safe' });
    expect(messages).toMatchObject([
      { role: 'user', content: { text: expect.stringMatching(/^2 of 3 tools/) } },
    ]);
    await expect.poll(() => on.notified).toContain('notifications/tools/list_changed');
    expect(await toolsOf(on)).toEqual(['encryptData', 'validateData', 'concerns']);
  });

  it('switches one value with the prompt, keeps the others, and removes one with "any"', async () => {
    const on = await host({ policy: ON });
    const get = (args: object) => on.request('prompts/get', { name: 'concerns', arguments: args });
    await get({ security: 'low', speed: '' });
    expect(await toolsOf(on)).toEqual(['logData', 'validateData', 'concerns']);
    expect(JSON.stringify(await get({ speed: '3' }))).toContain('security low, speed 3');
    expect(JSON.stringify(await get({ security: 'hihg' }))).toContain('Nothing changed. ');
    expect(JSON.stringify(await get({}))).toContain('security low, speed 3');
    await get({ security: 'any', speed: 'any' });
    expect(await toolsOf(on)).toEqual([...OWN, 'concerns']);
  });

  it('switches in a form, which is filled with what is in effect', async () => {
    const forms: Parameters<Person>[0][] = [];
    const answers: ReturnType<Person>[] = [
      { action: 'accept', content: { preset: 'safe', security: '-' } },
      { action: 'accept', content: { preset: 'safe', security: 'low' } },
      { action: 'decline' },
      { action: 'accept', content: { preset: '-', security: '-' } },
    ];
    const person: Person = (form) => {
      forms.push(form);
      return answers.shift() ?? { action: 'cancel' };
    };
    const on = await host({ policy: ON, person });
    expect(textOf(await call(on))).toContain('2 of 3 tools are shown');
    expect(await toolsOf(on)).toEqual(['encryptData', 'validateData', 'concerns']);
    await call(on);
    expect(await toolsOf(on)).toEqual(['logData', 'validateData', 'concerns']);
    expect(textOf(await call(on))).toContain('declined the form. Nothing changed.');
    await call(on);
    expect(await toolsOf(on)).toEqual([...OWN, 'concerns']);
    expect(textOf(await call(on))).toContain('closed the form. Nothing changed.');
    expect(forms[0]?.requestedSchema.properties).toMatchObject({
      preset: { default: '-' },
      security: {
        oneOf: [
          { const: 'low', title: 'low: 2 tools' },
          { const: 'high', title: 'high: 2 tools' },
          { const: '-', title: 'any: 3 tools' },
        ],
        default: '-',
      },
      speed: { type: 'number', minimum: 0, maximum: 10 },
    });
    expect(forms[1]?.requestedSchema.properties).toMatchObject({
      preset: { default: 'safe' },
      security: { default: 'high' },
    });
    // What the operator sets is not for the person to change.
    expect(forms[0]?.requestedSchema.properties).not.toHaveProperty('tenant');
  });

  it('shows less in the page, and not more', async () => {
    const on = await host({ policy: ON, capabilities: APP });
    expect((await call(on))._meta).toBeUndefined();
    const update = (concerns: object) => call(on, { concerns }, 'concerns_update');
    expect(await toolsOf(on)).toContain('logData');
    const changed = await update({ preset: 'safe' });
    expect(changed.structuredContent).toMatchObject({ shown: { tools: 2 }, sessions: [{ relisted: false }] });
    expect(await toolsOf(on)).not.toContain('logData');
    const again = await call(on, {}, 'concerns_read');
    expect(again.structuredContent).toMatchObject({ sessions: [{ relisted: true }] });
    expect(textOf(await update({ security: null }))).toContain('would show more');
    expect(await toolsOf(on)).not.toContain('logData');
  });

  it('learns no name that only the operator can show', async () => {
    const on = await host({ policy: ON, capabilities: APP });
    const { structuredContent } = await call(on, {}, 'concerns_read');
    expect(structuredContent).toMatchObject({ withheld: 1 });
    expect(JSON.stringify(structuredContent)).not.toContain('storeRecord');
    const enforced = await host({ policy: withPanel('on', ', enforcement: enforce'), capabilities: APP });
    expect((await call(enforced, {}, 'concerns_read')).structuredContent).toMatchObject({ withheld: 0 });
  });
});

describe('a person with SDK v2, 2026-07-28', () => {
  it('switches with a form by input_required, as a verified caller', async () => {
    const person = vi.fn<Person>(() => ({ action: 'accept', content: { preset: 'safe' } }));
    const on = await hostV2('modern', { policy: ON, person, verified: true });
    const answer = await call(on);
    expect(person).toHaveBeenCalledOnce();
    expect(textOf(answer)).toContain('The person changed what is shown.');
    expect(await toolsOf(on)).toEqual(['encryptData', 'validateData', 'concerns']);
  });

  it('is not offered a tool that changes nothing, where nothing is kept', async () => {
    const person = vi.fn<Person>(() => ({ action: 'accept', content: { preset: 'safe' } }));
    const app = await hostV2('modern', { policy: ON, capabilities: APP });
    expect(await toolsOf(app)).toEqual(OWN);
    const on = await hostV2('modern', { policy: ON, person });
    expect(await toolsOf(on)).toEqual(OWN);
    // A host may remember it from another endpoint.
    expect(textOf(await call(on))).toContain('This connection keeps no preferences.');
    expect(person).not.toHaveBeenCalled();
    const _meta = { [EXTENSION_ID]: { concerns: { security: 'high' } } };
    const listed = await on.request('tools/list', { _meta });
    expect(namesOf(listed, 'tools')).toEqual(['encryptData', 'validateData']);
  });

  it('is told by a prompt what to put into the URL, and nothing is kept', async () => {
    const on = await hostV2('modern', { policy: ON });
    const listed = await on.request('prompts/list');
    expect(listed.prompts).toContainEqual(
      expect.objectContaining({
        name: 'concerns-safe',
        description: 'Says how to switch what is shown to the preset safe.',
      }),
    );
    const preset = await on.request('prompts/get', { name: 'concerns-safe' });
    expect(JSON.stringify(preset.messages)).toContain(
      'Nothing changed. This connection keeps no preferences. To switch, add ?concerns=safe to the URL of the server, and reconnect. With it, 2 tools are shown.',
    );
    expect(preset._meta).toMatchObject({ [EXTENSION_ID]: { concerns: { security: 'high', speed: null } } });
    const get = async (args: object) =>
      JSON.stringify(await on.request('prompts/get', { name: 'concerns', arguments: args }));
    expect(await get({ security: 'low', speed: '3' })).toContain('add ?concerns=security:low,speed:3 to');
    expect(await get({ security: 'hihg' })).toContain('Nothing changed. \\"hihg\\" is not a valid value');
    expect(await get({})).toContain('3 of 3 tools are shown');
    expect(await toolsOf(on)).toEqual(OWN);
    // The URL that the prompt names does what it says.
    const handle = createHandler({ server: serverV1, policy: ON });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = new Request('http://x.test/mcp?concerns=safe', { method: 'POST', headers, body });
    const tools = await (await handle(request)).text();
    expect(['encryptData', 'validateData', 'logData'].filter((name) => tools.includes(`"${name}"`))).toEqual([
      'encryptData',
      'validateData',
    ]);
  });

  it('gets the counts of each choice in the form', async () => {
    const person = vi.fn<Person>(() => ({ action: 'decline' }));
    const on = await hostV2('modern', { policy: ON, person, verified: true });
    expect(textOf(await call(on))).toContain('Nothing changed.');
    expect(person.mock.calls[0]?.[0].requestedSchema.properties).toMatchObject({
      security: { oneOf: [{ title: 'low: 2 tools' }, { title: 'high: 2 tools' }, { title: 'any: 3 tools' }] },
    });
  });
});

describe('the gate', () => {
  afterEach(() => void vi.useRealTimers());
  const lists = { 'tools/list': [{ name: 'encryptData' }, { name: 'logData' }] };
  const start = (harness: Harness, capabilities: object) =>
    harness.request('init', 'initialize', { capabilities, clientInfo: { name: 'host', version: '1' } });

  it('leaves out a tool of the server with the same name', async () => {
    const harness = new Harness(ON).serve({ 'tools/list': [{ name: 'concerns', title: 'Mine' }] });
    harness.request(1, 'tools/list');
    harness.request(2, 'tools/call', { name: 'concerns' });
    await expect.poll(() => harness.answers(2)).toHaveLength(1);
    expect(harness.answers(1)).toMatchObject([
      { result: { tools: [{ name: 'concerns', title: 'What is shown' }] } },
    ]);
    expect(harness.toServer.map((message) => read(message, 'method'))).not.toContain('tools/call');
  });

  it('answers lists that the server does not have', async () => {
    const harness = new Harness(ON);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const { id, method } = message;
      const answer =
        method === 'initialize' ? { result: {} } : { error: { code: -32601, message: 'Method not found' } };
      void harness.server({ jsonrpc: '2.0', id, ...answer });
    };
    start(harness, {});
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) harness.request(method, method);
    expect(harness.answers('tools/list')).toMatchObject([{ result: { tools: [{ name: 'concerns' }] } }]);
    expect(harness.answers('prompts/list')).toMatchObject([
      { result: { prompts: [{ name: 'concerns-safe' }, { name: 'concerns' }] } },
    ]);
    expect(harness.answers('resources/list')).toMatchObject([{ result: { resources: [] } }]);
  });

  it('adds the tool to the last page only', () => {
    const harness = new Harness(withPanel('on', ', page-size: 1')).serve(lists);
    harness.request(1, 'tools/list');
    const [first] = harness.answers(1);
    const result = read(first, 'result');
    expect(result).toMatchObject({ tools: [{ name: 'encryptData' }], nextCursor: expect.any(String) });
    harness.request(2, 'tools/list', { cursor: read(result, 'nextCursor') });
    expect(harness.answers(2)).toMatchObject([
      { result: { tools: [{ name: 'logData' }, { name: 'concerns' }] } },
    ]);
  });

  it('answers with what is shown if the host never shows the form, and takes its late answer', async () => {
    vi.useFakeTimers();
    const harness = new Harness(ON).serve(lists);
    start(harness, { elicitation: {} });
    harness.request(1, 'tools/call', { name: 'concerns' });
    const asked = () =>
      harness.toClient.find((each) => 'method' in each && each.method === 'elicitation/create');
    await expect.poll(() => asked()).toBeDefined();
    // Other requests are answered meanwhile.
    harness.request(2, 'tools/list');
    expect(harness.answers(2)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT);
    await expect.poll(() => harness.answers(1)).toHaveLength(1);
    expect(JSON.stringify(harness.answers(1))).toContain('did not show the form in time. Nothing changed.');
    const form = asked();
    const received = harness.toServer.length;
    harness.client({ jsonrpc: '2.0', id: form && 'id' in form ? form.id : '', result: { action: 'accept' } });
    expect(harness.toServer).toHaveLength(received);
    expect(harness.answers(1)).toHaveLength(1);
  });

  it('sends no answer to a call that the client cancelled while the form was open', async () => {
    const harness = new Harness(ON).serve(lists);
    start(harness, { elicitation: {} });
    harness.request(1, 'tools/call', { name: 'concerns' });
    const asked = () =>
      harness.toClient.find((each) => 'method' in each && each.method === 'elicitation/create');
    await expect.poll(() => asked()).toBeDefined();
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const form = asked();
    harness.client({ jsonrpc: '2.0', id: form && 'id' in form ? form.id : '', result: { action: 'cancel' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(harness.answers(1)).toEqual([]);
  });

  it('gives a page of a modern client no key, because nothing can be kept', async () => {
    const host = await hostV2('modern', { policy: withPanel('on'), capabilities: APP });
    // Without a session there is no key, so nothing can change.
    const answer = await call(host);
    expect(answer._meta ?? {}).not.toHaveProperty(EXTENSION_ID);
    const { structuredContent } = await call(host, {}, 'concerns_read');
    expect(structuredContent).toMatchObject({ readOnly: expect.stringContaining('URL') });
  });
});
