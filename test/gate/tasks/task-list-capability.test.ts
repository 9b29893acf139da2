import { expect, it } from 'vitest';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { withoutTaskList } from '../../../src/core/gate/tasks/task-list.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { Failure } from '../../../src/core/wire/messages.js';
import { levels, TaskGate, verified } from './task-gate.js';

const policy = levels();
const initialize = (preferences: SessionPreferences, sender = {}) =>
  new TaskGate(policy, {}, { preferences }).exchange('initialize', {}, sender);
const NOWHERE = { place: 'none' } as const;

const accepted = (capabilities?: unknown) => ({
  jsonrpc: '2.0' as const,
  id: 1,
  result: { protocolVersion: '2025-11-25', ...(capabilities === undefined ? {} : { capabilities }) },
});
const TASKS = { list: { filter: true }, cancel: {} };

it('a client that nothing tells apart from others is not offered a list of tasks', () => {
  const offered = withoutTaskList(initialize(NOWHERE), accepted({ tools: {}, tasks: TASKS }));
  expect(offered).toEqual(accepted({ tools: {}, tasks: { cancel: {} } }));
});

it.each<[string, SessionPreferences, object]>([
  ['with a session in a store', { place: 'store', store: createMemoryStore(), id: 's' }, {}],
  ['with a connection of its own', { place: 'connection', record: {} }, {}],
  ['with a verified identity', NOWHERE, verified('alice')],
])('a client %s is offered it', (_what, preferences, sender) => {
  const message = accepted({ tools: {}, tasks: TASKS });
  expect(withoutTaskList(initialize(preferences, sender), message)).toBe(message);
});

it.each([
  ['has no list', accepted({ tools: {}, tasks: { cancel: {} } })],
  ['has no tasks', accepted({ tools: {} })],
  ['has no capabilities', accepted()],
  ['has tasks of another type', accepted({ tasks: 'list' })],
])('the answer of a server that %s stays', (_what, message) => {
  expect(withoutTaskList(initialize(NOWHERE), message)).toBe(message);
});

it('an error stays', () => {
  const message: Failure = { jsonrpc: '2.0', id: 1, error: { code: 7, message: 'No' } };
  expect(withoutTaskList(initialize(NOWHERE), message)).toBe(message);
  const both = { ...accepted({ tasks: TASKS }), error: { code: 7, message: 'No' } };
  expect(withoutTaskList(initialize(NOWHERE), both)).toBe(both);
});
