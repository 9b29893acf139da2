import type { Term } from './change.js';
import type { AskedDimension } from './request-space.js';

/**
 * Says in words when something happens.
 *
 * @param when any of these conditions
 * @returns the beginning of a sentence
 * @example
 * inWords(group.when); // 'Whenever security=high and cost is not minimal'
 */
export function inWords(when: readonly (readonly Term[])[]): string {
  if (when.some((terms) => terms.length === 0)) return 'Whatever is asked for';
  const texts = when.map((terms) => {
    const words = terms.map(termInWords);
    return words.join(words.some((each) => each.includes(' or ')) ? ', and ' : ' and ');
  });
  return `Whenever ${texts.join('; or ')}`;
}

function termInWords({ dimension, choices }: Term): string {
  const { by, name } = dimension;
  if (by === 'fact') return choices.has(1) ? name : `not (${name})`;
  if (by === 'spoken') return choices.has(1) ? 'something else is asked for' : 'nothing else is asked for';
  const subject = by === 'claim' ? `claimed ${name}` : name;
  const done = by === 'claim' ? 'claimed' : 'asked for';
  const every = dimension.choices.map((_, index) => index);
  const none = every.find((index) => dimension.choices[index]?.text === undefined);
  const values = every.filter((index) => index !== none);
  const meant = values.filter((index) => choices.has(index));
  const others = values.filter((index) => !choices.has(index));
  const withNone = none !== undefined && choices.has(none);
  if (meant.length === 0) return `${name} is not ${done}`;
  if (others.length === 0) return `${name} is ${done}`;
  if (!withNone) return listed(dimension, subject, meant);
  if (dimension.range === undefined && others.length <= meant.length) {
    return listed(dimension, subject, others, true);
  }
  return listed(dimension, subject, meant, false, `not ${done}`);
}

function listed(
  { choices, range }: AskedDimension,
  subject: string,
  indexes: readonly number[],
  not = false,
  orElse?: string,
): string {
  const end = orElse === undefined ? '' : ` or ${orElse}`;
  if (range !== undefined) {
    const numbers = indexes.filter((index) => choices[index]?.value !== null);
    const positions = numbers.map((index) => index - offsetOf(choices));
    const asked = [
      ...(positions.length === 0 ? [] : [runs(subject, range, positions)]),
      ...(numbers.length === indexes.length ? [] : [`${subject}=null`]),
    ];
    return asked.join(' or ') + end;
  }
  const texts = indexes.map((index) => choices[index]?.text ?? '');
  const [last = ''] = texts.slice(-1);
  const before = texts.slice(0, -1).join(', ');
  if (not) {
    return texts.length === 1
      ? `${subject} is not ${last}`
      : `${subject} is neither ${before.replaceAll(', ', ' nor ')} nor ${last}`;
  }
  if (orElse !== undefined) return `${subject}=${texts.join(', ')}${end}`;
  return `${subject}=${texts.length === 1 ? last : `${before} or ${last}`}`;
}

const offsetOf = (choices: AskedDimension['choices']): number => (choices[0]?.text === undefined ? 1 : 0);

/** Numbers that stand side by side are a range: `budget from 20 to 100`. */
function runs(subject: string, range: readonly number[], positions: readonly number[]): string {
  const found: [first: number, last: number][] = [];
  for (const position of positions) {
    const run = found.at(-1);
    if (run !== undefined && run[1] === position - 1) run[1] = position;
    else found.push([position, position]);
  }
  // Every other number only stands for those between its neighbours.
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
