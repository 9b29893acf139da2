import type { Term } from './change.js';
import type { RequestDimension } from './request-space.js';

/**
 * Describes a condition in words.
 *
 * @param when the condition of a group, see `ChangeGroup.when`
 * @returns the beginning of a sentence, without a period
 * @example
 * describeCondition(group.when); // 'Whenever security=high and cost is not minimal'
 */
export function describeCondition(when: readonly (readonly Term[])[]): string {
  if (when.some((terms) => terms.length === 0)) return 'In every configuration';
  const texts = when.map((terms) => {
    const parts = terms.map(describeTerm);
    return parts.join(parts.some((each) => each.includes(' or ')) ? ', and ' : ' and ');
  });
  return `Whenever ${texts.join('; or ')}`;
}

function describeTerm({ dimension, choices }: Term): string {
  const { type, name } = dimension;
  if (type === 'fact') return choices.has(1) ? name : `not (${name})`;
  if (type === 'other-concern') {
    return choices.has(1) ? 'another concern is requested' : 'no other concern is requested';
  }
  const subject = type === 'claim' ? `claimed ${name}` : name;
  const verb = type === 'claim' ? 'claimed' : 'requested';
  const all = dimension.choices.map((_, index) => index);
  const none = all.find((index) => dimension.choices[index]?.text === undefined);
  const values = all.filter((index) => index !== none);
  const included = values.filter((index) => choices.has(index));
  const excluded = values.filter((index) => !choices.has(index));
  const includesNone = none !== undefined && choices.has(none);
  if (included.length === 0) return `${name} is not ${verb}`;
  if (excluded.length === 0) return `${name} is ${verb}`;
  const end = includesNone ? ` or not ${verb}` : '';
  if (dimension.range !== undefined) return describeNumbers(dimension, subject, included) + end;
  const textsOf = (indexes: readonly number[]) =>
    indexes.map((index) => dimension.choices[index]?.text ?? '');
  if (includesNone && excluded.length <= included.length) {
    const not = textsOf(excluded);
    return `${subject} is ${not.length === 1 ? 'not' : 'neither'} ${not.join(' nor ')}`;
  }
  const texts = textsOf(included);
  const last = includesNone ? [] : texts.splice(-1);
  return `${subject}=${[texts.join(', '), ...last].filter(Boolean).join(' or ')}${end}`;
}

function describeNumbers(
  { choices, range = [] }: RequestDimension,
  subject: string,
  indexes: readonly number[],
): string {
  const numbers = indexes.filter((index) => choices[index]?.value !== null);
  const positions = numbers.map((index) => index - offsetOf(choices));
  const parts = [
    ...(positions.length === 0 ? [] : [describeRuns(subject, range, positions)]),
    ...(numbers.length === indexes.length ? [] : [`${subject}=null`]),
  ];
  return parts.join(' or ');
}

/** The index of the first number: the choice for no request, if there is one, comes before the numbers. */
const offsetOf = (choices: RequestDimension['choices']): number => (choices[0]?.text === undefined ? 1 : 0);

/** Describes neighboring numbers as ranges: `budget >= 20 and < 100`. */
function describeRuns(subject: string, range: readonly number[], positions: readonly number[]): string {
  const found: [first: number, last: number][] = [];
  for (const position of positions) {
    const run = found.at(-1);
    if (run !== undefined && run[1] === position - 1) run[1] = position;
    else found.push([position, position]);
  }
  // Numbers at odd positions represent the open interval between their two neighbors.
  const isMark = (position: number): boolean => position % 2 === 0;
  const texts = found.map(([first, last]) => {
    const from = isMark(first) ? `>= ${range[first]}` : `> ${range[first - 1]}`;
    const to = isMark(last) ? `<= ${range[last]}` : `< ${range[last + 1]}`;
    if (first === last && isMark(first)) return `${subject}=${range[first]}`;
    if (first === 0) return `${subject} ${to}`;
    if (last === range.length - 1) return `${subject} ${from}`;
    return `${subject} ${from} and ${to}`;
  });
  return texts.join(' or ');
}
