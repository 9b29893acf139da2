import type { Sent } from './client-messages.js';
import type { Random } from './random.js';
import { THINGS, type Thing, type View } from './world.js';

const TARGETS: readonly [View, ...View[]] = [undefined, 'low', 'high'];

const SWITCHES: readonly [object, ...object[]] = [
  { '+tools': ['concerns'], '-tools': ['no such tool'] },
  { '+tools': { length: 1 }, '-tools': 7 },
  { '-tools': null },
  ...THINGS.filter(({ kind }) => kind === 'tools').map(({ identity }) => ({ '+tools': [identity] })),
];

const TOOLS = THINGS.filter(({ kind }) => kind === 'tools') as [Thing, ...Thing[]];

type Request = (method: string, params: object, known?: Omit<Sent, 'message'>) => Sent;

/** Makes a request for what the gate adds under `settings.panel`, or for the preferences of the session. */
export function panelMessage(random: Random, request: Request): Sent {
  const target = random.pick(TARGETS);
  const page = { area: 'page tools', isPanel: true } as const;
  const prompt = { area: 'prompts of the panel', isPanel: true } as const;
  const hideTool = (): Sent => {
    const hides = random.pick(TOOLS);
    const change = { by: 'page', targets: [], hides } as const;
    const params = { name: 'concerns_update', arguments: { concerns: { '-tools': [hides.identity] } } };
    return request('tools/call', params, { area: 'tools that a page hides', isPanel: true, change });
  };
  return random.pick<() => Sent>([
    () =>
      request('tools/call', { name: 'concerns', arguments: {} }, { area: 'tool concerns', isPanel: true }),
    () =>
      request('tools/call', { name: 'concerns', arguments: {} }, { area: 'tool concerns', isPanel: true }),
    () => request('tools/call', { name: 'concerns', arguments: { level: 'low' } }, page),
    () =>
      request(
        'tools/call',
        {
          name: 'concerns',
          arguments: random.pick<object>([{ list: true }, { find: 'tool' }, { show: ['tool-a'] }]),
        },
        { area: 'tool concerns', isPanel: true },
      ),
    () => request('tools/call', { name: 'concerns_read', arguments: {} }, page),
    () =>
      request(
        'tools/call',
        { name: 'concerns_update', arguments: { concerns: { level: target ?? null } } },
        { ...page, change: { by: 'page', targets: [target] } },
      ),
    hideTool,
    hideTool,
    hideTool,
    hideTool,
    // Neither a page in a host nor a host itself can show a tool by its name, or make the gate believe in one.
    () =>
      request(
        'tools/call',
        { name: 'concerns_update', arguments: { concerns: random.pick(SWITCHES) } },
        page,
      ),
    () =>
      request(
        'updateConcerns',
        { concerns: { level: target ?? null, ...random.pick(SWITCHES) } },
        { area: 'updateConcerns', change: { by: 'host', targets: [target] } },
      ),
    () =>
      target === undefined
        ? request('prompts/get', { name: 'concerns-other' }, prompt)
        : request(
            'prompts/get',
            { name: `concerns-${target}` },
            { ...prompt, change: { by: 'prompt', targets: [target], isPreset: true } },
          ),
    () =>
      request(
        'prompts/get',
        { name: 'concerns', arguments: { level: target ?? 'any' } },
        { ...prompt, change: { by: 'prompt', targets: [target] } },
      ),
    () =>
      request(
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'concerns-low' }, argument: { name: 'level', value: '' } },
        { ...prompt, isPanel: false },
      ),
    () =>
      request(
        'resources/read',
        { uri: random.pick(['ui://concerns/panel.html', 'ui://concerns/other.html']) },
        { area: 'page of the panel', isPanel: true },
      ),
    () =>
      request(
        'updateConcerns',
        { concerns: random.chance(0.9) ? { level: target ?? null } : 7 },
        { area: 'updateConcerns', change: { by: 'host', targets: [target] } },
      ),
    () => request('listConcerns', {}, { area: 'updateConcerns' }),
  ])();
}
