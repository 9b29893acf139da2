import { read } from '../messages/wire.js';

/** `capabilities.tasks.list.filter` of a server (SEP-1904, "Server capabilities"). Only tool calls make tasks there. */
export const TASK_FILTER_CAPABILITY = {
  methods: ['tools/call'],
  taskIds: true,
  status: true,
  createdAt: { before: true, after: true },
  lastUpdatedAt: { before: true, after: true },
  order: { by: ['createdAt', 'lastUpdatedAt'], direction: ['asc', 'desc'] },
} as const;

const LISTS_OF_TEXT = {
  methods: '["tools/call"]',
  taskIds: '["786512e2-9e0d-44bd-8f29-789f320fe840"]',
  status: '["working", "input_required"]',
} as const;
const BOUNDS = ['createdAfter', 'createdBefore', 'lastUpdatedAfter', 'lastUpdatedBefore'] as const;
const ORDER_BY = ['lastUpdatedAt', 'createdAt'] as const;
const ORDER = ['desc', 'asc'] as const;

/**
 * A point in time: whole seconds since 1970 in UTC, and the decimals of the second without trailing zeros. A Date
 * has milliseconds only, and servers write microseconds: a task that changed within the millisecond that a client
 * asks for would never be seen.
 */
export interface Instant {
  readonly seconds: number;
  readonly decimals: string;
}

/** What a client wants to see of the tasks; lists are sorted and without repetition, none is empty. */
export type TaskFilter = {
  readonly [L in keyof typeof LISTS_OF_TEXT]?: readonly string[];
} & { readonly [B in (typeof BOUNDS)[number]]?: Instant } & {
  readonly orderBy: (typeof ORDER_BY)[number];
  readonly order: (typeof ORDER)[number];
};

/** `message` is that of the `-32602` answer. `key` is equal for filters that mean the same, `''` for none. */
export type ReadTaskFilter =
  | { readonly ok: true; readonly filter: TaskFilter | undefined; readonly key: string }
  | { readonly ok: false; readonly message: string };

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads the filter of a `tasks/list` request from its params (SEP-1904, "Filter Parameters").
 *
 * An empty array counts as not given, as in the filters of other lists. Statuses and methods that do not exist are no
 * errors, they match no task. `null` and every other wrong type is an error.
 *
 * @param params the params of the request, unchecked
 * @returns the filter, nothing where none of its params is given, and its key; or what is wrong, for a `-32602` answer
 * @example
 * readTaskFilter({ status: ['working'], createdAfter: '2026-01-31T09:30:00Z' });
 */
export function readTaskFilter(params: unknown): ReadTaskFilter {
  // Always built in this order: the key is its text.
  const filter: Partial<Writable<TaskFilter>> = {};
  for (const name of ['methods', 'taskIds', 'status'] as const) {
    const sent = read(params, name);
    if (sent === undefined) continue;
    if (!isTexts(sent)) {
      return wrong(name, `an array of strings, such as ${LISTS_OF_TEXT[name]}`);
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
 * Keeps and orders the tasks that a client asks for (SEP-1904, "Filter Parameters").
 *
 * Everything that is given has to hold. After and before are meant strictly: the time itself is neither. A task whose
 * time cannot be read is neither after nor before anything, and comes last in both directions. Tasks of equal times
 * keep the server's order in both directions.
 *
 * @param tasks the tasks, as the server lists them
 * @param filter the filter, from `readTaskFilter`; nothing leaves the tasks as they are
 * @param methodOf tells the method of the request that made a task; nothing, if that is not known: such a task is
 *   none of any `methods`
 * @returns what stays, in the order that was asked for
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
        (filter.methods === undefined || methods(methodOf(task))),
    )
    .map((task) => ({ task, at: readInstant(read(task, filter.orderBy)) }))
    .sort((a, b) => {
      if (a.at === undefined || b.at === undefined) {
        return Number(a.at === undefined) - Number(b.at === undefined);
      }
      return filter.order === 'asc' ? compare(a.at, b.at) : compare(b.at, a.at);
    })
    .map(({ task }) => task);
}

function among(wanted: readonly string[] | undefined): (value: unknown) => boolean {
  if (wanted === undefined) return () => true;
  const set: ReadonlySet<unknown> = new Set(wanted);
  return (value) => set.has(value);
}

function between(after: Instant | undefined, before: Instant | undefined): (value: unknown) => boolean {
  if (after === undefined && before === undefined) return () => true;
  return (value) => {
    const at = readInstant(value);
    if (at === undefined) return false;
    return (
      (after === undefined || compare(at, after) > 0) && (before === undefined || compare(at, before) < 0)
    );
  };
}

function compare(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  // Decimals without trailing zeros are ordered as texts: .05 < .5 < .51
  if (a.decimals === b.decimals) return 0;
  return a.decimals < b.decimals ? -1 : 1;
}

const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,18}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * Reads a timestamp of ISO 8601: a calendar date with dashes, perhaps a time with colons, perhaps `Z` or an offset.
 * Without an offset it is UTC: `Date.parse` would take the zone of the machine, and answer differently on each.
 *
 * @returns the point in time; nothing for what is no such text or no such day or time
 */
function readInstant(value: unknown): Instant | undefined {
  const match = typeof value === 'string' ? ISO_8601.exec(value) : null;
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', digits = '', sign, ...offset] = match;
  const decimals = digits.replace(/0+$/, '');
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  const [offsetHours, offsetMinutes] = [Number(offset[0] ?? 0), Number(offset[1] ?? 0)];

  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have is one of another month.
  const exists = date.getUTCMonth() + 1 === Number(month);
  const ofDay = 3600 * hours + 60 * minutes + seconds;
  // 24:00 is the end of a day; second 60 is a leap second, which clocks count as the next one.
  const endOfDay = hours === 24 && ofDay === 86_400 && decimals === '';
  if (!exists || minutes > 59 || seconds > 60 || (hours > 23 && !endOfDay)) return undefined;
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;

  const east = (sign === '-' ? -1 : 1) * (3600 * offsetHours + 60 * offsetMinutes);
  return { seconds: date.getTime() / 1000 + ofDay - east, decimals };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.findIndex((each) => typeof each !== 'string') === -1;
}

function wrong(name: string, what: string): ReadTaskFilter {
  return { ok: false, message: `params.${name} must be ${what}.` };
}
