import type { PanelOption, PanelValue } from '../../core/gate/panel/panel-document.js';

/** A value of a concern with the values below it: `files` with `files.read` and `files.write`. */
export interface TreeRow {
  readonly option: PanelOption & { readonly value: string };
  readonly below: readonly (PanelOption & { readonly value: string })[];
}

const isBelow = (value: PanelValue, above: string): boolean => String(value).startsWith(`${above}.`);

/**
 * Arranges dotted values as rows with what is below them. Rows without a tool come last: they are of no use now.
 *
 * @param options the options of a concern with `match: within`
 * @returns the rows; none if no value is below another one
 * @example
 * treeOf([{ value: 'files' }, { value: 'files.read' }]); // one row, with one value below
 */
export function treeOf(options: readonly PanelOption[]): readonly TreeRow[] {
  const named = options.flatMap((option) =>
    typeof option.value === 'string' ? [{ ...option, value: option.value }] : [],
  );
  const tops = named.filter(({ value }) => !named.some((other) => isBelow(value, other.value)));
  const rows = tops.map((option) => ({
    option,
    below: named.filter(({ value }) => isBelow(value, option.value)),
  }));
  if (rows.every(({ below }) => below.length === 0)) return [];
  return [...rows].sort((a, b) => Number(a.option.tools === 0) - Number(b.option.tools === 0));
}

/**
 * Returns the values after a click on one of them. To switch off one value below another chosen one keeps its siblings.
 *
 * @param chosen the values that are chosen
 * @param value the value that was clicked
 * @param row the row that it is in
 * @returns the values that are chosen then
 * @example
 * afterClick(['files'], 'files.read', row); // ['files.write']
 */
export function afterClick(
  chosen: readonly PanelValue[],
  value: string,
  { option, below }: TreeRow,
): readonly PanelValue[] {
  const others = chosen.filter((each) => each !== option.value && !isBelow(each, option.value));
  const own = chosen.filter((each) => isBelow(each, option.value));
  const isWhole = chosen.includes(option.value);
  if (value === option.value) return isWhole ? others : [...others, value];
  if (isWhole) return [...others, ...below.map((each) => each.value).filter((each) => each !== value)];
  return [...others, ...(own.includes(value) ? own.filter((each) => each !== value) : [...own, value])];
}
