import type { Term } from './change.js';

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
  const { type, name, range } = dimension;
  if (type === 'fact') return choices.has(1) ? name : `not (${name})`;
  if (type === 'other-concern') {
    return choices.has(1) ? 'another concern is requested' : 'no other concern is requested';
  }
  const [subject, verb] = type === 'claim' ? [`claimed ${name}`, 'claimed'] : [name, 'requested'];
  const none = dimension.choices.findIndex(({ text }) => text === undefined);
  const textsOf = (isIncluded: boolean): string[] =>
    dimension.choices.flatMap(({ text }, index) =>
      text === undefined || choices.has(index) !== isIncluded ? [] : [text],
    );
  const [included, excluded] = [textsOf(true), textsOf(false)];
  if (included.length === 0) return `${name} is not ${verb}`;
  if (excluded.length === 0) return `${name} is ${verb}`;
  const orNone = choices.has(none) ? [`not ${verb}`] : [];
  if (range !== undefined) return [...intervals(subject, range, included), ...orNone].join(' or ');
  if (choices.has(none) && excluded.length <= included.length) {
    return `${subject} is ${excluded.length === 1 ? 'not' : 'neither'} ${excluded.join(' nor ')}`;
  }
  const last = choices.has(none) ? [] : included.splice(-1);
  return `${subject}=${[included.join(', '), ...last, ...orNone].filter(Boolean).join(' or ')}`;
}

/** Describes neighboring numbers as intervals: `budget >= 20 and < 100`. What is not a number, `null`, stays. */
function intervals(subject: string, range: readonly number[], texts: readonly string[]): string[] {
  const found: [first: number, last: number][] = [];
  const positions = texts.map((text) => range.findIndex((number) => String(number) === text));
  for (const position of positions.filter((each) => each !== -1)) {
    const run = found.at(-1);
    if (run !== undefined && run[1] === position - 1) run[1] = position;
    else found.push([position, position]);
  }
  // Numbers at odd positions represent the open interval between their two neighbors.
  const isMark = (position: number): boolean => position % 2 === 0;
  const described = found.map(([first, last]) => {
    const from = isMark(first) ? `>= ${range[first]}` : `> ${range[first - 1]}`;
    const to = isMark(last) ? `<= ${range[last]}` : `< ${range[last + 1]}`;
    if (first === last && isMark(first)) return `${subject}=${range[first]}`;
    if (first === 0) return `${subject} ${to}`;
    if (last === range.length - 1) return `${subject} ${from}`;
    return `${subject} ${from} and ${to}`;
  });
  return positions.includes(-1) ? [...described, `${subject}=null`] : described;
}
