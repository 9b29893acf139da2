import { describe, expect, it } from 'vitest';
import { hasTaskText, redactTask } from '../../../src/gate/enforce/task-redaction.js';

const redaction = () => (text: string) => `<${text}>`;
const error = { code: -32000, message: 'no', data: { a: 'b' } };
const failed = { isError: true, content: [{ type: 'text', text: 'no' }] };

describe('the texts of a task', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'the status message of a task',
      { taskId: 't', status: 'working', statusMessage: 'a' },
      { taskId: 't', status: 'working', statusMessage: '<a>' },
    ],
    [
      'the status message of a task that a call created',
      { task: { taskId: 't', statusMessage: 'a', ttl: 1 }, _meta: {} },
      { task: { taskId: 't', statusMessage: '<a>', ttl: 1 }, _meta: {} },
    ],
    [
      'the error of a task',
      { taskId: 't', error },
      { taskId: 't', error: { code: -32000, message: '<no>', data: { '<a>': '<b>' } } },
    ],
    [
      'the failed result of a task',
      { taskId: 't', result: failed },
      { taskId: 't', result: { isError: true, content: [{ type: 'text', text: '<no>' }] } },
    ],
    [
      'all of them',
      { statusMessage: 'a', task: { statusMessage: 'b' }, error: { message: 'c' }, result: failed },
      {
        statusMessage: '<a>',
        task: { statusMessage: '<b>' },
        error: { message: '<c>' },
        result: { isError: true, content: [{ type: 'text', text: '<no>' }] },
      },
    ],
    ['an empty status message', { statusMessage: '' }, { statusMessage: '<>' }],
    [
      'no parts of another form beside a text',
      { statusMessage: 'a', task: 'b', error: 'c', result: 'd' },
      { statusMessage: '<a>', task: 'b', error: 'c', result: 'd' },
    ],
    [
      'no status message of another type, and no successful result',
      {
        error: { message: 'a' },
        statusMessage: ['b'],
        task: { statusMessage: 7 },
        result: { isError: false },
      },
      {
        error: { message: '<a>' },
        statusMessage: ['b'],
        task: { statusMessage: 7 },
        result: { isError: false },
      },
    ],
  ])('are redacted: %s', (_what, result, redacted) => {
    expect(hasTaskText(result)).toBe(true);
    const before = structuredClone(result);
    expect(redactTask(result, redaction)).toEqual(redacted);
    expect(Object.keys(redactTask(result, redaction))).toEqual(Object.keys(redacted));
    expect(result).toEqual(before);
  });

  it.each([
    [{}],
    [{ taskId: 't', status: 'working' }],
    [{ statusMessage: 7, task: { statusMessage: null }, error: { code: 1 }, result: { isError: 'true' } }],
    [{ task: null, error: null, result: null }],
    [{ error: { message: ['secret'] } }],
    [{ result: { isError: false, content: [{ type: 'text', text: 'secret' }] } }],
    [{ isError: true, content: [] }],
  ])('are none in %j', (result) => {
    expect(hasTaskText(result)).toBe(false);
    const unused = (): never => {
      throw new Error('There is nothing to redact.');
    };
    expect(redactTask(result, unused)).toBe(result);
  });
});
