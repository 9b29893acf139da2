/**
 * @param one a dotted path
 * @param other a dotted path
 * @returns the number of steps from one to the other, up to the path that both begin with and down again
 * @example
 * stepsBetween('finance.stocks', 'finance.news'); // 2
 */
export function stepsBetween(one: string, other: string): number {
  const [a, b] = [one.split('.'), other.split('.')];
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared++;
  return a.length + b.length - 2 * shared;
}
