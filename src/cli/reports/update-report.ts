import type { UpdatedExpectation } from '../../policy/testing/update-tests.js';
import { type Paper, plain } from '../terminal/output.js';

/**
 * Writes what `test --update` changes in a file: for each expectation, its place, then the old and the new one.
 *
 * @param file the test file
 * @param updates the expectations that were rewritten, or could not be
 * @param paper where the text will be written
 * @returns the text, with a line break at its end; empty if there is nothing to update
 * @example
 * process.stdout.write(updatesToText('policies/vault.test.yaml', updates, paperOf(process.stdout)));
 */
export function updatesToText(
  file: string,
  updates: readonly UpdatedExpectation[],
  { paint }: Paper,
): string {
  return updates
    .flatMap(({ test, line, kind, before, after, problem }) => [
      `${paint('bold', plain(test))}  ${paint('dim', `${file}:${line}`)}`,
      paint('red', `  - ${kind}: ${plain(before)}`),
      paint('green', `  + ${kind}: ${plain(after)}`),
      ...(problem === undefined ? [] : [`  Not changed, because ${problem}. Change it by hand.`]),
      '',
    ])
    .map((line) => `${line}\n`)
    .join('');
}
