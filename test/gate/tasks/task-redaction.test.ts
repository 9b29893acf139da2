import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import * as redaction from '../../../src/core/gate/enforce/redaction.js';
import { configure } from '../../../src/core/gate/request/configure.js';
import type { StoredPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import type { Answer } from '../../../src/core/wire/messages.js';
import { gathered } from '../exchange-of.js';
import { HIGH, LISTS, levels, TaskGate } from './task-gate.js';

const redactResponse = gathered(redaction.redactResponse);
const redactRecords = gathered(redaction.redactRecords);

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');

const CONNECTED: StoredPreferences = { session: { state: 'live', record: {} }, principal: undefined };

/** A request of a client that does not see `secret`, unless it says nothing about what it wants. */
function request({ policy = enforced, params = HIGH as object, method = 'tasks/get' } = {}): Exchange {
  const exchange = new TaskGate(policy, LISTS).exchange(method, params);
  exchange.configured(configure(exchange, CONNECTED, { meta: true }), []);
  return exchange;
}

const answer = (result: Record<string, unknown>): Answer => ({ jsonrpc: '2.0', id: 1, result });
const BASE = { taskId: 'secret', status: 'working' };

const TEXTS: readonly [string, object, object][] = [
  [
    'the message of its status',
    { statusMessage: 'ask secret or work' },
    { statusMessage: 'ask [hidden] or work' },
  ],
  ['an error that is a text', { error: 'not secret' }, { error: 'not [hidden]' }],
  [
    'an error',
    { error: { code: 1, message: 'not secret', data: { at: ['secret'] } } },
    { error: { code: 1, message: 'not [hidden]', data: { at: ['[hidden]'] } } },
  ],
  [
    'the result of a call that failed',
    { result: { isError: true, content: [{ type: 'text', text: 'no secret' }] } },
    { result: { isError: true, content: [{ type: 'text', text: 'no [hidden]' }] } },
  ],
  [
    'all of them',
    { statusMessage: 'secret', error: 'secret', result: { isError: true, content: ['secret'] } },
    { statusMessage: '[hidden]', error: '[hidden]', result: { isError: true, content: ['[hidden]'] } },
  ],
  ['a member that tasks do not have', { note: 'secret' }, { note: '[hidden]' }],
  ['a message of another type', { statusMessage: ['secret'] }, { statusMessage: ['[hidden]'] }],
  [
    'a result that does not say clearly that it failed',
    { result: { isError: 'true', content: ['secret'], note: 'secret' } },
    { result: { isError: 'true', content: ['secret'], note: '[hidden]' } },
  ],
  [
    'a message besides the result of a call that succeeded',
    { statusMessage: 'secret', result: { isError: false, content: ['secret'] } },
    { statusMessage: '[hidden]', result: { isError: false, content: ['secret'] } },
  ],
];

const WITHOUT_TEXT: readonly [string, object][] = [
  ['nothing else', {}],
  ['no text in its members', { error: null, statusMessage: 7 }],
  ['an error that is a number', { error: 7 }],
  ['the result of a call that succeeded', { result: { content: ['secret'] } }],
];

describe('a task', () => {
  it.each(TEXTS)('is redacted in %s', async (_what, given, expected) => {
    const message = { ...answer({ ...BASE, ...given }), extra: 'stays' };
    expect(await redactResponse(request(), message)).toEqual({
      message: { ...message, result: { ...BASE, ...expected } },
    });
  });

  it.each(TEXTS)('that a call created is redacted in %s', async (_what, given, expected) => {
    const call = request({ method: 'tools/call' });
    for (const [result, redacted] of [
      [{ task: { ...BASE, ...given } }, { task: { ...BASE, ...expected } }],
      [
        { resultType: 'task', ...BASE, ...given },
        { resultType: 'task', ...BASE, ...expected },
      ],
    ] as const) {
      expect(await redactResponse(call, answer(result))).toEqual({ message: answer(redacted) });
    }
  });

  it.each(WITHOUT_TEXT)('stays with %s', async (_what, given) => {
    const message = answer({ ...BASE, ...given });
    expect((await redactResponse(request(), message)).message).toBe(message);
  });

  it('stays if nothing is hidden', async () => {
    const message = answer({ ...BASE, statusMessage: 'secret' });
    expect((await redactResponse(request({ params: {} }), message)).message).toBe(message);
  });
});

describe('tasks of a list', () => {
  const OPEN = { taskId: 'open', status: 'working' };

  it.each(TEXTS)('are redacted in %s', async (_what, given, expected) => {
    const tasks = [OPEN, { ...BASE, ...given }, 'secret', null];
    expect(await redactRecords(request(), tasks)).toEqual([OPEN, { ...BASE, ...expected }, 'secret', null]);
  });

  it('stay as they are if they have no text, each by itself', async () => {
    const [, redacted] = await redactRecords(request(), [{ ...BASE, error: 'secret' }, OPEN]);
    expect(redacted).toBe(OPEN);
  });

  it.each<[string, Exchange, readonly unknown[]]>([
    ['if none has a text', request(), [OPEN, BASE]],
    ['if there are none', request(), []],
    ['if nothing is enforced', request({ policy: advisory }), [{ ...BASE, statusMessage: 'secret' }]],
    ['if nothing is hidden', request({ params: {} }), [{ ...BASE, statusMessage: 'secret' }]],
  ])('stay the same list %s', async (_when, exchange, tasks) => {
    expect(await redactRecords(exchange, tasks)).toBe(tasks);
  });
});
