/**
 * Reads an item by an index that this package computed itself.
 *
 * @param list the list
 * @param index the index of an item that exists
 * @returns the item
 * @throws {RangeError} if there is no such item, which is an error in this package
 */
export function itemAt<T>(list: readonly (T | undefined)[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`A list of ${list.length} items has no item ${index}.`);
  return item;
}
