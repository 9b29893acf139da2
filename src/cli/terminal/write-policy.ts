import { sep } from 'node:path';
import type { ServerCatalog } from '../../core/engine/mapping.js';
import { parsePolicy } from '../../core/policy/compile/parse.js';
import { type NewlyVisible, newlyVisible } from '../../core/policy/diff/newly-visible.js';
import { KIND_NAMES } from '../../core/policy/language/kind-names.js';
import { CliError } from '../errors.js';
import { writeFiles } from './write-files.js';

/** A change of the files of one policy. */
export interface PolicyChange {
  /** The texts of all files of the policy as they are, by path; the first one is the policy. */
  readonly before: ReadonlyMap<string, string>;
  /** The new texts of the files that change. */
  readonly changed: ReadonlyMap<string, string>;
  /** What the server lists, as far as it is known. */
  readonly catalog?: ServerCatalog | undefined;
  /** The names of primitives that the person agreed to open (`--open`). */
  readonly open?: readonly string[] | undefined;
}

/**
 * Writes files of a policy, and other files with them: all of them or none. Every command that changes a policy writes it here, so
 * that none of them opens what the policy keeps closed.
 *
 * @param changes the changes of each policy; a policy that did not exist before has no texts
 * @param others texts of other files by path, such as its tests
 * @throws {CliError} if a change opens something that the person did not agree to, or a file cannot be written. Then no file
 *   has changed
 * @example
 * writePolicy([{ before, changed, catalog }]);
 */
export function writePolicy(
  changes: readonly PolicyChange[],
  others: ReadonlyMap<string, string> = new Map(),
): void {
  const opened = changes.flatMap((change) => {
    const open = new Set(change.open);
    return openedBy(change).filter(({ name, like }) => !open.has(name ?? like ?? ''));
  });
  if (opened.length > 0) {
    const names = opened.map(({ name, like }) => name ?? like).filter((name) => name !== undefined);
    const options = [...new Set(names)].slice(0, 3).map((name) => ` --open ${JSON.stringify(name)}`);
    const agree = options.length === 0 ? 'edit the policy yourself' : `pass${options.join('')}`;
    throw new CliError(
      `Nothing was written, because the policy would show more than before: ${openedText(opened)}. If that is meant, ${agree}.`,
    );
  }
  writeFiles(new Map([...changes.flatMap(({ changed }) => [...changed]), ...others]));
}

/**
 * @param change the change of one policy
 * @returns what it opens. Nothing, if the policy had errors before or has errors then: no server serves such a policy
 */
export function openedBy({ before, changed, catalog = {} }: PolicyChange): readonly NewlyVisible[] {
  const [old, now] = [before, new Map([...before, ...changed])].map(
    (texts) =>
      parsePolicy(new Map([...texts].map(([name, text]) => [name.replaceAll(sep, '/'), text]))).compiled,
  );
  return old === undefined || now === undefined ? [] : newlyVisible(old, now, catalog);
}

/** @returns what becomes visible and when, in words */
function openedText(opened: readonly NewlyVisible[]): string {
  const texts = opened.slice(0, 5).map(({ kind, name, like, when }) => {
    const [one, several] = KIND_NAMES[kind];
    const what =
      name !== undefined
        ? `the ${one} ${name}`
        : like === undefined
          ? `${several} that the server adds`
          : `${several} like ${like} that the server adds`;
    return `${what} (${when.charAt(0).toLowerCase()}${when.slice(1)})`;
  });
  return `${texts.join('; ')}${opened.length > texts.length ? ` and ${opened.length - texts.length} more` : ''}`;
}
