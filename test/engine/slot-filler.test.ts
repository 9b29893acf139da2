import { expect, it } from 'vitest';
import { SlotFiller } from '../../src/engine/expression/slot-filler.js';
import { SlotTable } from '../../src/engine/expression/slots.js';

it('tells NaN from null and from a text', () => {
  const table = new SlotTable();
  table.add({ var: 'primitive.value' }, (data) => Object(data).primitive.value);
  let count = 0;
  const filler = new SlotFiller(table, () => count++);
  const restOf = (value: unknown) => filler.fill({ value }).rest;
  expect([restOf(Number.NaN), restOf(null), restOf('NaN'), restOf(Number.NaN), restOf(null)]).toEqual([
    0, 1, 2, 0, 1,
  ]);
});
