import { describe, expect, it } from 'vitest';
import { afterClick, treeOf } from '../../src/web/page/tree-values.js';

const option = (value: string | null, tools = 1) => ({ value, tools, tokens: 10 * tools });
const OPTIONS = [
  option(null, 9),
  option('mail', 0),
  option('files', 4),
  option('files.read', 2),
  option('files.write', 2),
  option('mail.send', 0),
];

describe('the tree of a concern', () => {
  it('has what is below each value, and rows without a tool last', () => {
    expect(
      treeOf(OPTIONS).map(({ option: own, below }) => [own.value, below.map(({ value }) => value)]),
    ).toEqual([
      ['files', ['files.read', 'files.write']],
      ['mail', ['mail.send']],
    ]);
    expect(treeOf([option('files'), option('filesystem')])).toEqual([]);
  });

  it.each([
    [[], 'files', ['files']],
    [['files'], 'files', []],
    [['files.read'], 'files', ['files']],
    [['files.read', 'mail'], 'files.write', ['mail', 'files.read', 'files.write']],
    [['files.read'], 'files.read', []],
    [['files'], 'files.read', ['files.write']],
    [['filesystem'], 'files', ['filesystem', 'files']],
  ])('after a click, %j and %s become %j', (chosen, value, expected) => {
    const [row] = treeOf(OPTIONS);
    expect(row && afterClick(chosen, value, row)).toEqual(expected);
  });
});
