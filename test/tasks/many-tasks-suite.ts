import { beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '../patience.js';
import type { LocalDynamo } from '../session/dynamo.js';
import { type ManyTasks, openManyTasks } from './many-tasks.js';

/** An entry of the index has about 250 bytes, an item of the table in these tests about 300. A read unit is 4 KB. */
const UNITS_PER_TASK = 0.1;
/** The most entries that one page examines if a filter leaves little: `MAX_EXAMINED` of the records. */
const MOST_EXAMINED = 1000;
const PAGE = 50;

const at = (time: number): string => new Date(time).toISOString();

interface Filtered {
  readonly name: string;
  readonly params: (many: ManyTasks, count: number) => object;
  /** Which tasks match, by their place in the order of creation. */
  readonly matches: (place: number, count: number) => boolean;
  /** Whether the key of the table or of its index leaves the others out. Then a page reads nothing but itself. */
  readonly byKey: boolean;
  /** A task that is read by its id takes a read unit of its own. */
  readonly byId?: boolean;
}

const isOpen = (place: number): boolean => place % 100 === 7;
const created = { orderBy: 'createdAt' } as const;

const FILTERS: readonly Filtered[] = [
  { name: 'no filter', params: () => ({}), matches: () => true, byKey: true },
  {
    name: 'ascending creation',
    params: () => ({ ...created, order: 'asc' }),
    matches: () => true,
    byKey: true,
  },
  {
    name: 'created in a range',
    params: ({ from }, count) => ({
      ...created,
      createdAfter: at(from + count),
      createdBefore: at(from + 2 * count),
    }),
    matches: (place, count) => 5 * place > count && 5 * place < 2 * count,
    byKey: true,
  },
  {
    name: 'updated after a time',
    params: ({ from }, count) => ({ lastUpdatedAfter: at(from + 4 * count) }),
    matches: (place, count) => 5 * place + (place % 3) > 4 * count,
    byKey: true,
  },
  {
    name: 'updated before a time, ascending',
    params: ({ from }, count) => ({ lastUpdatedBefore: at(from + count), order: 'asc' }),
    matches: (place, count) => 5 * place + (place % 3) < count,
    byKey: true,
  },
  {
    name: 'a quarter of the states',
    params: () => ({ status: ['completed'] }),
    matches: (place) => place % 4 === 0 && !isOpen(place),
    byKey: false,
  },
  {
    name: '0.5 % of the states',
    params: () => ({ status: ['input_required'] }),
    matches: (place) => place % 200 === 7,
    byKey: false,
  },
  {
    name: 'a creation range in the order of updates',
    params: ({ from }, count) => ({ createdAfter: at(from + 4 * count) }),
    matches: (place, count) => 5 * place > 4 * count,
    byKey: false,
  },
  {
    name: 'known ids',
    params: ({ ids }) => ({ taskIds: ids.slice(0, 40) }),
    matches: (place) => place < 40,
    byKey: true,
    byId: true,
  },
];

/**
 * Tests lists of many tasks of one caller, through the gate.
 *
 * @param dynamo returns the database
 * @param count how many tasks
 * @param report receives what each list cost
 */
export function describeManyTasks(
  dynamo: () => LocalDynamo,
  count: number,
  report: (line: string) => void = () => undefined,
): void {
  describe(`${count} tasks of one caller`, () => {
    let many: ManyTasks;
    let hiding: ManyTasks;
    beforeAll(async () => {
      many = await openManyTasks(dynamo(), count, { pageSize: PAGE });
      hiding = await openManyTasks(dynamo(), count, { pageSize: PAGE, hidden: ['report', 'ask'] });
      // Writes each task in two tables.
    }, 4 * PATIENCE.test);

    it.each(FILTERS)(
      'are listed once each, and a page reads little more than itself: $name',
      async (filter) => {
        const { ids, pages, mostUnits, units } = await many.walk(filter.params(many, count));
        const expected = many.ids.filter((_, place) => filter.matches(place, count));
        expect([...ids].sort()).toEqual([...expected].sort());
        const examined = filter.byKey ? PAGE + 1 : PAGE + 1 + MOST_EXAMINED;
        const unitsPerTask = filter.byId === true ? 1 : UNITS_PER_TASK;
        expect(mostUnits).toBeLessThanOrEqual(1 + examined * unitsPerTask);
        const each = `${pages} pages, at most ${mostUnits} units a page, ${units} in all`;
        report(`${filter.name}: ${ids.length} tasks, ${each}`);
      },
    );

    it('are listed without those of hidden tools', async () => {
      const { ids, pages, mostUnits } = await hiding.walk({});
      expect([...ids].sort()).toEqual(hiding.ids.filter((_, place) => place % 3 === 1).sort());
      expect(mostUnits).toBeLessThanOrEqual(1 + (PAGE + 1 + MOST_EXAMINED) * UNITS_PER_TASK);
      report(
        `two of three tools hidden: ${ids.length} tasks, ${pages} pages, at most ${mostUnits} units a page`,
      );
    });

    it('are listed once each while others are created', async () => {
      for (const params of [{}, { order: 'asc' }, created, { ...created, order: 'asc' }]) {
        const { ids } = await many.walk(params, many.create);
        expect(new Set(ids).size).toBe(ids.length);
        const listed = new Set(ids);
        expect(many.ids.filter((id) => !listed.has(id))).toEqual([]);
      }
    });

    it('have cursors that name no task, and fit one filter and one policy', async () => {
      const { nextCursor = '' } = await many.list({});
      const opened = Buffer.from(nextCursor.split('.').at(-1) ?? '', 'base64url').toString();
      expect(many.ids.filter((id) => opened.includes(id))).toEqual([]);
      expect((await many.list({ cursor: nextCursor })).tasks).toHaveLength(PAGE);
      const wrong = [
        await many.list({ cursor: nextCursor, status: ['completed'] }),
        await many.list({ cursor: `${nextCursor}A` }),
        await many.list({ cursor: JSON.stringify([many.ids[9], many.from]) }),
        await hiding.list({ cursor: nextCursor }),
      ];
      for (const { error, reads } of wrong)
        expect({ code: error?.code, reads }).toEqual({ code: -32602, reads: 0 });
    });

    it('are not listed for others', async () => {
      expect(await many.list({}, 'eve')).toMatchObject({ tasks: [] });
      expect(await many.list({ taskIds: many.ids.slice(0, 3) }, 'eve')).toMatchObject({ tasks: [] });
    });
  });
}
