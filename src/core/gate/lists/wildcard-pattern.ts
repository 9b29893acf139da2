/**
 * Compiles a pattern of SEP-2564. `*` matches any number of characters, `?` matches exactly one, and any other
 * character matches itself. There is no escape. A character is a Unicode code point, so `?` matches a whole emoji. A
 * lone surrogate is a character too.
 *
 * Each star first matches nothing, and one character more after each mismatch. Only the latest star ever has to: what
 * comes before it matches as early as possible. So a match takes at most the length of the text times that of the pattern.
 *
 * @param pattern the pattern
 * @returns a function that returns whether a whole text matches, given as its characters
 * @example
 * compilePattern('log?*')([...'logData']); // true
 */
export function compilePattern(pattern: string): (text: readonly string[]) => boolean {
  const wanted = [...pattern];
  return (text) => {
    let next = 0;
    let afterStar = -1;
    let tried = 0;
    for (let at = 0; at < text.length; ) {
      if (wanted[next] === '*') {
        next++;
        afterStar = next;
        tried = at;
      } else if (wanted[next] === '?' || wanted[next] === text[at]) {
        next++;
        at++;
      } else if (afterStar === -1) {
        return false;
      } else {
        next = afterStar;
        tried++;
        at = tried;
      }
    }
    return wanted.slice(next).every((each) => each === '*');
  };
}
