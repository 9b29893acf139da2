/**
 * Compiles a pattern in which `*` matches any number of characters, including none. Every other character matches itself.
 *
 * The pattern is split at `*`, and its parts are searched from left to right without backtracking. The time is therefore
 * at most proportional to pattern length times text length; a RegExp for `*_*_*_*_*!` takes seconds for 64 characters.
 *
 * @param pattern a pattern of a policy
 * @returns a function that returns whether a text matches
 * @example
 * compileGlob('log*')('logData'); // true
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === head;
  const middle = rest.filter((part) => part !== '');
  const fixed = head.length + tail.length;

  return (text) => {
    if (text.length < fixed || !text.startsWith(head) || !text.endsWith(tail)) return false;
    const end = text.length - tail.length;
    let from = head.length;
    for (const part of middle) {
      const found = text.indexOf(part, from);
      if (found === -1 || found + part.length > end) return false;
      from = found + part.length;
    }
    return true;
  };
}
