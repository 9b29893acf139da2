import { isUntouched, type Remaining } from '../../core/engine/uses/remaining.js';

/**
 * Says what is left of the arguments of a tool.
 *
 * @param parts what is left of each argument that the policy is about
 * @returns one text for each argument of which something is taken away
 * @example
 * leftInWords(remainingOf(uses, configuration).parts); // ['2 of 5 values of action']
 */
export const leftInWords = (parts: readonly Remaining[]): readonly string[] =>
  parts.filter((part) => !isUntouched(part)).map(inWords);

function inWords({ argument: { name, domain }, values, canBeAbsent, fill }: Remaining): string {
  if (fill !== undefined) return `${name} is set`;
  switch (values.type) {
    case 'none':
      return `without ${name}`;
    case 'all':
      return canBeAbsent ? name : `${name} is required`;
    case 'values':
      return domain.type === 'closed'
        ? `${values.values.length} of ${domain.values.length} values of ${name}`
        : `${values.values.length} values of ${name}`;
    case 'texts':
    case 'range':
      return `some values of ${name}`;
  }
}
