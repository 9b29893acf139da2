import { read } from '../../wire/messages.js';
import type { TaskFilter } from '../../wire/task-lister.js';

/** The filter fields that are lists of strings, each with an example for messages. */
const STRING_LISTS = {
  methods: '["tools/call"]',
  taskIds: '["786512e2-9e0d-44bd-8f29-789f320fe840"]',
  status: '["working", "input_required"]',
} as const;
const BOUNDS = ['createdAfter', 'createdBefore', 'lastUpdatedAfter', 'lastUpdatedBefore'] as const;
const ORDER_BY = ['lastUpdatedAt', 'createdAt'] as const;
const ORDER = ['desc', 'asc'] as const;

/** `message` is for the `-32602` error. `key` is equal for equal filters, and `''` without a filter. */
export type ReadTaskFilter =
  | { readonly ok: true; readonly filter: TaskFilter | undefined; readonly key: string }
  | { readonly ok: false; readonly message: string };

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads the filter of a `tasks/list` request from its params (SEP-1904, "Filter Parameters").
 *
 * An empty array means the same as a missing one. Unknown statuses and methods are allowed, and match no task. A value
 * of another type is an error, also `null`.
 *
 * @param params the params of the request, unchecked
 * @returns the filter, `undefined` if no filter param is given, and its key; or the message of the `-32602` error
 * @example
 * readTaskFilter({ status: ['working'], createdAfter: '2026-01-31T09:30:00Z' });
 */
export function readTaskFilter(params: unknown): ReadTaskFilter {
  // The key is the JSON of the filter, so its members must always be added in this order.
  const filter: Partial<Writable<TaskFilter>> = {};
  for (const name of ['methods', 'taskIds', 'status'] as const) {
    const sent = read(params, name);
    if (sent === undefined) continue;
    if (!isStrings(sent)) {
      return wrong(name, `an array of strings, such as ${STRING_LISTS[name]}`);
    }
    if (sent.length > 0) filter[name] = [...new Set(sent)].sort();
  }
  for (const name of BOUNDS) {
    const sent = read(params, name);
    if (sent === undefined) continue;
    const instant = readInstant(sent);
    if (instant === undefined) return wrong(name, 'an ISO 8601 timestamp, such as "2026-01-31T09:30:00Z"');
    filter[name] = instant;
  }
  const by = read(params, 'orderBy');
  const orderBy = by === undefined ? ORDER_BY[0] : ORDER_BY.find((each) => each === by);
  if (orderBy === undefined) return wrong('orderBy', '"createdAt" or "lastUpdatedAt"');
  const direction = read(params, 'order');
  const order = direction === undefined ? ORDER[0] : ORDER.find((each) => each === direction);
  if (order === undefined) return wrong('order', '"asc" or "desc"');

  if (Object.keys(filter).length === 0 && by === undefined && direction === undefined) {
    return { ok: true, filter: undefined, key: '' };
  }
  const complete: TaskFilter = { ...filter, orderBy, order };
  return { ok: true, filter: complete, key: JSON.stringify(complete) };
}

/**
 * Filters and orders tasks (SEP-1904, "Filter Parameters").
 *
 * A task must match every given field. After and before exclude the time itself. A task without a readable time matches
 * no time bound, and comes last in both directions. Tasks with equal times keep the server's order in both directions.
 *
 * @param tasks the tasks, as the server lists them
 * @param filter the filter, from `readTaskFilter`; `undefined` keeps the tasks as they are
 * @param methodOf returns the method of the request that created a task; `undefined` if it is not known, which matches no
 *   `methods`
 * @returns the matching tasks, in the requested order
 * @example
 * const read = readTaskFilter({ status: ['working'], orderBy: 'createdAt', order: 'asc' });
 * if (read.ok) applyTaskFilter(tasks, read.filter, () => 'tools/call');
 */
export function applyTaskFilter<T>(
  tasks: readonly T[],
  filter: TaskFilter | undefined,
  methodOf: (task: T) => string | undefined,
): readonly T[] {
  if (filter === undefined) return tasks;
  const methods = among(filter.methods);
  const taskIds = among(filter.taskIds);
  const status = among(filter.status);
  const created = between(filter.createdAfter, filter.createdBefore);
  const updated = between(filter.lastUpdatedAfter, filter.lastUpdatedBefore);
  return tasks
    .filter(
      (task) =>
        taskIds(read(task, 'taskId')) &&
        status(read(task, 'status')) &&
        created(read(task, 'createdAt')) &&
        updated(read(task, 'lastUpdatedAt')) &&
        methods(methodOf(task)),
    )
    .map((task) => ({ task, rank: rankOf(task, filter) }))
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ task }) => task);
}

/** Returns where a task comes in the order of the client: first with the smallest number, last without a readable time. */
export function rankOf(task: unknown, { orderBy, order }: TaskFilter): number {
  const at = readInstant(read(task, orderBy));
  if (at === undefined) return Number.POSITIVE_INFINITY;
  return order === 'asc' ? at : -at;
}

function among(allowed: readonly string[] | undefined): (value: unknown) => boolean {
  if (allowed === undefined) return () => true;
  const set: ReadonlySet<unknown> = new Set(allowed);
  return (value) => set.has(value);
}

function between(after: number | undefined, before: number | undefined): (value: unknown) => boolean {
  if (after === undefined && before === undefined) return () => true;
  return (value) => {
    const at = readInstant(value);
    return at !== undefined && (after === undefined || at > after) && (before === undefined || at < before);
  };
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(\.\d{1,18})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads an ISO 8601 timestamp in the form that RFC 3339 gives it, or a date. Without an offset it is UTC: `Date.parse` would
 * use the time zone of the machine.
 *
 * @returns milliseconds since 1970, with decimals; `undefined` if the value is not a timestamp, or the day or time does not exist
 */
function readInstant(value: unknown): number | undefined {
  const match = typeof value === 'string' ? TIMESTAMP.exec(value.toUpperCase()) : null;
  if (match === null) return undefined;
  const [, day = '', time = '00:00', decimals = '', offset = 'Z'] = match;
  const at = Date.parse(`${day}T${time}${offset}`);
  // Date.parse reads a day that does not exist, such as April 31, as one of the next month.
  if (Number.isNaN(at) || !new Date(`${day}T00:00Z`).toISOString().startsWith(day)) return undefined;
  // It reads only three decimals.
  return 1000 * (Math.floor(at / 1000) + Number(`0${decimals}`));
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.findIndex((each) => typeof each !== 'string') === -1;
}

function wrong(name: string, what: string): ReadTaskFilter {
  return { ok: false, message: `params.${name} must be ${what}.` };
}
