import { isMainThread } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  applyTaskFilter,
  type ReadTaskFilter,
  readTaskFilter,
} from '../../../src/core/gate/tasks/task-filter.js';
import { TASK_FILTER_CAPABILITY } from '../../../src/core/wire/messages.js';

interface ListedTask {
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
}

const task = (taskId: string, status: string, createdAt: string, lastUpdatedAt: string): ListedTask => ({
  taskId,
  status,
  createdAt: `2026-01-01T${createdAt}Z`,
  lastUpdatedAt: `2026-01-01T${lastUpdatedAt}Z`,
});

/** In the server's order: not sorted by either time. `b` and `d` were updated at the same time. */
const TASKS = [
  task('a', 'working', '09:00:00', '12:00:00'),
  task('b', 'completed', '08:00:00', '11:00:00'),
  task('c', 'failed', '10:00:00', '10:30:00'),
  task('d', 'working', '07:00:00', '11:00:00'),
];

const methodOf = ({ taskId }: ListedTask): string | undefined =>
  taskId === 'd' ? undefined : taskId === 'c' ? 'sampling/createMessage' : 'tools/call';

afterEach(() => vi.unstubAllEnvs());

/** Returns the ids of the listed tasks, or the message of the error. */
function ask(params: unknown, tasks: readonly ListedTask[] = TASKS): readonly string[] | string {
  const read = readTaskFilter(params);
  if (!read.ok) return read.message;
  return applyTaskFilter(tasks, read.filter, methodOf).map(({ taskId }) => taskId);
}

const keyOf = (read: ReadTaskFilter): string => (read.ok ? read.key : 'an error');
const at = (time: string) => `2026-01-01T${time}Z`;

describe('a filter', () => {
  it.each<[string, Record<string, unknown>, readonly string[]]>([
    ['methods', { methods: ['tools/call'] }, ['a', 'b']],
    ['several methods', { methods: ['sampling/createMessage', 'tools/call'] }, ['a', 'b', 'c']],
    ['a method, not a prefix of one', { methods: ['tools'] }, []],
    ['task ids', { taskIds: ['d', 'a', 'unknown'] }, ['a', 'd']],
    ['a status', { status: ['working'] }, ['a', 'd']],
    ['several statuses', { status: ['failed', 'completed'] }, ['b', 'c']],
    ['an unknown status', { status: ['Working'] }, []],
    ['created after a time', { createdAfter: at('08:30:00') }, ['a', 'c']],
    ['created after a time, which is excluded', { createdAfter: at('09:00:00') }, ['c']],
    ['created before a time', { createdBefore: at('08:30:00') }, ['b', 'd']],
    ['created before a time, which is excluded', { createdBefore: at('08:00:00') }, ['d']],
    ['updated after a time', { lastUpdatedAfter: at('10:45:00') }, ['a', 'b', 'd']],
    ['updated after a time, which is excluded', { lastUpdatedAfter: at('11:00:00') }, ['a']],
    ['updated before a time', { lastUpdatedBefore: at('11:30:00') }, ['b', 'd', 'c']],
    ['updated before a time, which is excluded', { lastUpdatedBefore: at('11:00:00') }, ['c']],
    ['between', { createdAfter: at('07:30:00'), createdBefore: at('09:30:00') }, ['a', 'b']],
    ['bounds that exclude everything', { createdAfter: at('09:30:00'), createdBefore: at('07:30:00') }, []],
    ['all fields must match', { status: ['working'], createdBefore: at('08:30:00') }, ['d']],
    ['all lists together', { methods: ['tools/call'], taskIds: ['a', 'b'], status: ['completed'] }, ['b']],
    ['an empty list is ignored', { status: [], taskIds: ['c', 'a'] }, ['a', 'c']],
  ])('%s', (_name, params, ids) => {
    expect(ask(params)).toEqual(ids);
  });
});

describe('the order', () => {
  it.each<[string, Record<string, unknown>, readonly string[]]>([
    ['by default the latest update first', { taskIds: ['a', 'b', 'c', 'd'] }, ['a', 'b', 'd', 'c']],
    ['order alone sorts by update', { order: 'asc' }, ['c', 'b', 'd', 'a']],
    ['order desc alone', { order: 'desc' }, ['a', 'b', 'd', 'c']],
    ['orderBy alone is descending', { orderBy: 'createdAt' }, ['c', 'a', 'b', 'd']],
    ['orderBy lastUpdatedAt alone', { orderBy: 'lastUpdatedAt' }, ['a', 'b', 'd', 'c']],
    ['both', { orderBy: 'createdAt', order: 'asc' }, ['d', 'b', 'a', 'c']],
    ['with a filter', { status: ['working'], orderBy: 'createdAt', order: 'asc' }, ['d', 'a']],
  ])('%s', (_name, params, ids) => {
    expect(ask(params)).toEqual(ids);
  });

  it("is the server's for equal times, in both directions", () => {
    const tasks = ['x', 'm', 'a', 'z'].map((id) => task(id, 'working', '09:00:00', '09:00:00'));
    for (const order of ['asc', 'desc']) expect(ask({ order }, tasks)).toEqual(['x', 'm', 'a', 'z']);
  });

  it.each<[string, unknown]>([
    ['no params', undefined],
    ['empty params', {}],
    ['a cursor alone', { cursor: 'x' }],
    ['unknown params', { filter: { status: ['failed'] }, statuses: ['failed'] }],
    ['empty lists alone', { methods: [], taskIds: [], status: [] }],
    ['params that are an array', ['working']],
    ['inherited params', Object.create({ order: 'asc', status: 7 })],
    ['__proto__ as a JSON member', JSON.parse('{"__proto__": {"order": "asc", "status": 7}}')],
  ])("is the server's, and all tasks stay, with %s", (_name, params) => {
    const read = readTaskFilter(params);
    expect(read).toEqual({ ok: true, filter: undefined, key: '' });
    expect(applyTaskFilter(TASKS, undefined, methodOf)).toBe(TASKS);
  });

  it("does not change the server's list", () => {
    const before = [...TASKS];
    ask({ order: 'asc' });
    expect(TASKS).toEqual(before);
  });
});

describe('an invalid filter', () => {
  const timestamp = (name: string) =>
    `params.${name} must be an ISO 8601 timestamp, such as "2026-01-31T09:30:00Z".`;

  it.each<[string, string, unknown, string]>([
    [
      'a text',
      'methods',
      'tools/call',
      'params.methods must be an array of strings, such as ["tools/call"].',
    ],
    [
      'a number in it',
      'methods',
      ['tools/call', 7],
      'params.methods must be an array of strings, such as ["tools/call"].',
    ],
    ['null', 'methods', null, 'params.methods must be an array of strings, such as ["tools/call"].'],
    [
      'an object',
      'taskIds',
      { 0: 'a', length: 1 },
      'params.taskIds must be an array of strings, such as ["786512e2-9e0d-44bd-8f29-789f320fe840"].',
    ],
    [
      'nested arrays',
      'taskIds',
      [['a']],
      'params.taskIds must be an array of strings, such as ["786512e2-9e0d-44bd-8f29-789f320fe840"].',
    ],
    [
      'a text',
      'status',
      'working',
      'params.status must be an array of strings, such as ["working", "input_required"].',
    ],
    [
      'an array with a hole',
      'status',
      new Array(1),
      'params.status must be an array of strings, such as ["working", "input_required"].',
    ],
    ['a number', 'createdAfter', 1_767_225_600_000, timestamp('createdAfter')],
    ['null', 'createdBefore', null, timestamp('createdBefore')],
    ['an array', 'lastUpdatedAfter', ['2026-01-01'], timestamp('lastUpdatedAfter')],
    ['a word', 'lastUpdatedBefore', 'yesterday', timestamp('lastUpdatedBefore')],
    ['another field', 'orderBy', 'status', 'params.orderBy must be "createdAt" or "lastUpdatedAt".'],
    [
      'a name of Object.prototype',
      'orderBy',
      'constructor',
      'params.orderBy must be "createdAt" or "lastUpdatedAt".',
    ],
    ['an array', 'orderBy', ['createdAt'], 'params.orderBy must be "createdAt" or "lastUpdatedAt".'],
    ['null', 'orderBy', null, 'params.orderBy must be "createdAt" or "lastUpdatedAt".'],
    ['upper case', 'order', 'ASC', 'params.order must be "asc" or "desc".'],
    ['a number', 'order', -1, 'params.order must be "asc" or "desc".'],
    ['null', 'order', null, 'params.order must be "asc" or "desc".'],
  ])('%s as %s', (_what, name, value, message) => {
    expect(readTaskFilter({ [name]: value })).toEqual({ ok: false, message });
  });

  it.each([
    '',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '2026',
    '2026-01',
    '01/31/2026',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    'Jan 1 2026',
    '2026-1-1',
    '2026-00-01',
    '2026-13-01',
    '2026-01-00',
    '2026-02-29',
    '2026-04-31',
    '2026-01-01 10:00:00Z',
    '2026-01-01T',
    '2026-01-01T10Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T24:00:01Z',
    '2026-01-01T24:00:00.1Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:61Z',
    '2026-01-01T10:00:00.Z',
    '2026-01-01T10:00:00+24:00',
    '2026-01-01T10:00:00+01:60',
    '2026-01-01T10:00:00+1',
    '2026-01-01T10:00:00+02',
    '2026-01-01T10:00:00+0200',
    '2026-01-01T10:00:00,5Z',
    '2026-01-01T10:00.5Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T10:00:00 UTC',
    '2026-01-01Z',
    '٢٠٢٦-٠١-٠١',
    '1e308',
    '\ud800',
    `2026-01-01T10:00:00.${'1'.repeat(100_000)}Z`,
  ])('%j is not a timestamp', (value) => {
    expect(readTaskFilter({ createdAfter: value }).ok).toBe(false);
  });
});

describe('a timestamp', () => {
  const key = (value: string) => keyOf(readTaskFilter({ createdAfter: value }));

  it.each<[string, string]>([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31t09:30:00z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T11:30:00+02:00'],
    ['2026-01-31T09:30:00Z', '2026-01-31T06:00:00-03:30'],
    // Without an offset: UTC.
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00'],
    ['2026-01-31T00:00:00Z', '2026-01-31'],
    ['2026-02-01T00:00:00Z', '2026-01-31T24:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-28T24:00Z'],
  ])('%s is the same as %s', (one, other) => {
    expect(key(one)).not.toBe('an error');
    expect(key(one)).toBe(key(other));
  });

  it.each<[string, string]>([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00+01:00'],
    ['2026-01-31T09:30:00+01:00', '2026-01-31T09:30:00-01:00'],
    ['2026-01-31T09:30:00.1Z', '2026-01-31T09:30:00.01Z'],
    ['0099-01-01T00:00:00Z', '1999-01-01T00:00:00Z'],
  ])('%s differs from %s', (one, other) => {
    expect(key(one)).not.toBe(key(other));
  });

  it.each<[string, string]>([
    ['2026-01-01T10:00:00.123456Z', '2026-01-01T10:00:00.123457Z'],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000001Z'],
    ['2026-01-01T10:00:00.05Z', '2026-01-01T10:00:00.5Z'],
    ['2026-01-01T10:00:00.5Z', '2026-01-01T10:00:00.51Z'],
    ['2026-01-01T10:00:00.9Z', '2026-01-01T10:00:01Z'],
    ['1969-12-31T23:59:59.9Z', '1970-01-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
    ['2026-01-01T23:30:00+01:00', '2026-01-01T23:00:00Z'],
  ])('%s is before %s', (earlier, later) => {
    const task = (createdAt: string) => ({ ...(TASKS[0] as ListedTask), createdAt });
    expect(ask({ createdAfter: earlier }, [task(later)])).toEqual(['a']);
    expect(ask({ createdAfter: later }, [task(earlier)])).toEqual([]);
    expect(ask({ createdBefore: later }, [task(earlier)])).toEqual(['a']);
    expect(ask({ createdBefore: earlier }, [task(later)])).toEqual([]);
  });

  // Only the main thread of a process can change its time zone.
  it.runIf(isMainThread).each(['Asia/Tokyo', 'America/Los_Angeles'])(
    'does not depend on the time zone: %s',
    (zone) => {
      const texts = [
        '2026-01-01',
        '2026-03-01T00:30:00',
        '2026-01-31T23:30:00Z',
        '2026-07-01T09:30:00+02:00',
      ];
      const before = texts.map(key);
      vi.stubEnv('TZ', zone);
      expect(new Date(0).getHours()).not.toBe(new Date(0).getUTCHours());
      expect(texts.map(key)).toEqual(before);
    },
  );

  it('is read as by Date.parse, if that is defined', () => {
    const times = fc.date({
      min: new Date('0000-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(times, times, (one, other) => {
        const task = { ...(TASKS[0] as ListedTask), createdAt: other.toISOString() };
        const after = ask({ createdAfter: one.toISOString() }, [task]).length === 1;
        expect(after).toBe(other.getTime() > one.getTime());
      }),
      { numRuns: 2_000 },
    );
  });

  it('must be a day that exists, as in Date', () => {
    const two = (number: number) => String(number).padStart(2, '0');
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(14), fc.nat(33), (year, month, day) => {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
        const date = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
        expect(readTaskFilter({ createdAfter: text }).ok).toBe(exists);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('malformed tasks', () => {
  const unreadable = [
    { ...task('none', 'working', '', ''), createdAt: undefined, lastUpdatedAt: undefined },
    { ...task('word', 'working', '', ''), createdAt: 'soon', lastUpdatedAt: 'soon' },
    { ...task('number', 'working', '', ''), createdAt: 1e308, lastUpdatedAt: 0 },
    { ...task('list', 'working', '', ''), createdAt: [at('09:00:00')], lastUpdatedAt: [at('09:00:00')] },
  ];
  const tasks: readonly { readonly taskId: string }[] = [
    unreadable[0],
    TASKS[0],
    unreadable[1],
    TASKS[2],
  ].flatMap((each) => each ?? []);
  const idsOf = (params: unknown, from: readonly { readonly taskId: string }[]) => {
    const read = readTaskFilter(params);
    return read.ok && applyTaskFilter(from, read.filter, () => undefined).map(({ taskId }) => taskId);
  };

  it.each(['asc', 'desc'])('come last when ordered by a time: %s', (order) => {
    const readable = order === 'asc' ? ['c', 'a'] : ['a', 'c'];
    expect(idsOf({ order }, tasks)).toEqual([...readable, 'none', 'word']);
  });

  it.each(['createdAfter', 'createdBefore', 'lastUpdatedAfter', 'lastUpdatedBefore'])(
    'match no time bound: %s',
    (bound) => {
      const value = bound.endsWith('After') ? '0000-01-01' : '9999-12-31';
      expect(idsOf({ [bound]: value }, unreadable)).toEqual([]);
      expect(idsOf({ [bound]: value }, tasks)).toEqual(['a', 'c']);
    },
  );

  it('stay if the filter has no time bound', () => {
    expect(idsOf({ status: ['working'] }, unreadable)).toEqual(['none', 'word', 'number', 'list']);
  });

  it('have no inherited fields', () => {
    const inherited = Object.create({ status: 'working' });
    const read = readTaskFilter({ status: ['working'] });
    expect(read.ok && applyTaskFilter([inherited], read.filter, () => undefined)).toEqual([]);
  });
});

describe('hostile input', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const value = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
    fc.constantFrom(deep, Symbol('x'), () => 'x', '__proto__', '\ud800', 2 ** 1000, at('09:00:00'), 'asc'),
  );

  it('in any place of the params is refused or read', () => {
    const field = fc.oneof(value, fc.array(fc.oneof(fc.string(), value), { maxLength: 3 }));
    const names = ['methods', 'taskIds', 'status', 'createdAfter', 'lastUpdatedBefore', 'orderBy', 'order'];
    const params = fc.oneof(value, fc.dictionary(fc.constantFrom(...names), field, { maxKeys: 2 }));
    const outcomes = { refused: 0, read: 0 };
    fc.assert(
      fc.property(params, (params) => {
        const read = readTaskFilter(params);
        outcomes[read.ok ? 'read' : 'refused']++;
        if (!read.ok) expect(read.message).toMatch(/^params\.\w+ must be .{1,80}\.$/);
        else expect(applyTaskFilter(TASKS, read.filter, methodOf).length).toBeLessThanOrEqual(TASKS.length);
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(outcomes.refused, outcomes.read)).toBeGreaterThan(100);
  });

  it('in any place of the tasks is filtered and ordered', () => {
    const fields = { taskId: value, status: value, createdAt: value, lastUpdatedAt: value };
    const tasks = fc.array(fc.oneof(value, fc.record(fields, { requiredKeys: [] })), { maxLength: 5 });
    const params = fc.constantFrom<object>(
      { order: 'asc' },
      { orderBy: 'createdAt' },
      { createdAfter: '2026-01-01' },
      { lastUpdatedBefore: '2026-01-02', status: ['working', '__proto__'] },
      { taskIds: ['constructor', '\ud800'], methods: ['tools/call'] },
    );
    fc.assert(
      fc.property(tasks, params, (tasks, params) => {
        const read = readTaskFilter(params);
        const kept = read.ok ? applyTaskFilter(tasks, read.filter, () => 'tools/call') : undefined;
        expect(kept?.every((task) => tasks.includes(task))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

it('filters and orders as the parameters define, for any parameters', () => {
  // Few different times and ids, so that some are equal.
  const time = fc.nat(5).map((minute) => at(`09:0${minute}:00`));
  const tasks = fc
    .array(
      fc.record({ status: fc.constantFrom('working', 'failed'), createdAt: time, lastUpdatedAt: time }),
      {
        maxLength: 10,
      },
    )
    .map((tasks) => tasks.map((task, index) => ({ taskId: `t${index % 7}`, index, ...task })));
  const every = {
    methods: fc.subarray(['tools/call', 'elicitation/create'], { minLength: 1 }),
    taskIds: fc.subarray(['t0', 't1', 't2', 't3'], { minLength: 1 }),
    status: fc.subarray(['working', 'failed'], { minLength: 1 }),
    createdAfter: time,
    createdBefore: time,
    lastUpdatedAfter: time,
    lastUpdatedBefore: time,
    orderBy: fc.constantFrom('createdAt' as const, 'lastUpdatedAt' as const),
    order: fc.constantFrom('asc', 'desc'),
  };
  // A few parameters only: with all of them hardly any task stays.
  const names = fc.subarray(Object.keys(every) as (keyof typeof every)[], { maxLength: 3 });
  const params = fc
    .tuple(fc.record(every), names)
    .map(([all, names]): Partial<typeof all> => Object.fromEntries(names.map((name) => [name, all[name]])));
  const methodOf = ({ index }: { readonly index: number }) =>
    index % 2 === 0 ? 'tools/call' : index % 3 === 0 ? undefined : 'elicitation/create';
  let kept = 0;
  fc.assert(
    fc.property(tasks, params, (tasks, params) => {
      const among = (list: readonly string[] | undefined, value: string | undefined) =>
        list === undefined || list.some((each) => each === value);
      const between = (time: string, after: string | undefined, before: string | undefined) =>
        (after === undefined || Date.parse(time) > Date.parse(after)) &&
        (before === undefined || Date.parse(time) < Date.parse(before));
      const expected = tasks.filter(
        (task) =>
          among(params.methods, methodOf(task)) &&
          among(params.taskIds, task.taskId) &&
          among(params.status, task.status) &&
          between(task.createdAt, params.createdAfter, params.createdBefore) &&
          between(task.lastUpdatedAt, params.lastUpdatedAfter, params.lastUpdatedBefore),
      );
      if (Object.keys(params).length > 0) {
        const by = params.orderBy ?? 'lastUpdatedAt';
        const sign = params.order === 'asc' ? 1 : -1;
        expected.sort((a, b) => sign * (Date.parse(a[by]) - Date.parse(b[by])) || a.index - b.index);
      }
      kept += expected.length;
      const read = readTaskFilter(params);
      expect(read.ok && applyTaskFilter(tasks, read.filter, methodOf)).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
  expect(kept).toBeGreaterThan(1_000);
});

describe('the key of a filter', () => {
  const key = (params: unknown) => keyOf(readTaskFilter(params));

  it('is equal for equal filters', () => {
    const one = { status: ['working', 'failed'], createdAfter: '2026-01-01T09:00:00Z' };
    const other = { createdAfter: '2026-01-01T10:00:00+01:00', status: ['failed', 'working', 'failed'] };
    expect(key(one)).toBe(key(other));
    expect(key({ ...one, methods: [], order: 'desc', orderBy: 'lastUpdatedAt', cursor: 'x' })).toBe(key(one));
  });

  it('differs for different filters', () => {
    const text = ['a'];
    const time = at('09:00:00');
    const all = [
      {},
      { methods: text },
      { taskIds: text },
      { status: text },
      { status: ['a', 'b'] },
      { status: ['a,b'] },
      { status: ['a","b'] },
      { createdAfter: time },
      { createdBefore: time },
      { lastUpdatedAfter: time },
      { lastUpdatedBefore: time },
      { lastUpdatedBefore: at('09:00:00.1') },
      { orderBy: 'createdAt' },
      { order: 'asc' },
      { order: 'desc' },
    ];
    expect(new Set(all.map(key)).size).toBe(all.length);
  });
});

it('declares the capability as in the example of SEP-1904', () => {
  expect(TASK_FILTER_CAPABILITY).toEqual({
    methods: ['tools/call'],
    taskIds: true,
    status: true,
    createdAt: { before: true, after: true },
    lastUpdatedAt: { before: true, after: true },
    order: { by: ['createdAt', 'lastUpdatedAt'], direction: ['asc', 'desc'] },
  });
});
