/** What a URI template matches. */
export interface CompiledUriTemplate {
  /** Whether a URI is one of the template. */
  readonly matches: (uri: string) => boolean;
  /** How many of its characters stand for themselves. */
  readonly literals: number;
}

/**
 * Compiles an RFC 6570 URI template into a matcher. `{name}` matches one or more characters of one path segment.
 * Reserved, fragment, path and query expressions (`{+name}`, `{#name}`, `{/name}`, `{?name}`, `{&name}`) and `{name*}`
 * match any number of characters, including none.
 *
 * The matcher reads the URI once and keeps the set of template positions that it can have reached. The time is therefore
 * at most proportional to template length times URI length for every template.
 *
 * @param template the template, as a server lists it
 * @returns the matcher and its number of literal characters
 * @example
 * compileUriTemplate('vault://keys/{id}').matches('vault://keys/7'); // true
 */
export function compileUriTemplate(template: string): CompiledUriTemplate {
  // A literal is one character, so it is not `ONE` or `MANY`.
  const tokens: string[] = [];
  let literals = 0;
  // `split` returns literals at even indexes and expressions at odd indexes.
  for (const [place, part] of template.split(/(\{[^{}]*\})/).entries()) {
    if (place % 2 === 1) tokens.push(/\{[+#./;?&]|\*\}/.test(part) ? MANY : ONE);
    else {
      for (const character of part) tokens.push(character);
      literals += part.length;
    }
  }

  const matches = (uri: string): boolean => {
    let reached = skipEmpty(new Set([0]));
    for (const character of uri) {
      const next = new Set<number>();
      for (const position of reached) {
        const token = tokens[position];
        const isInside = token === ONE && !'/?#'.includes(character);
        if (token === MANY || isInside) next.add(position);
        if (token === character || isInside) next.add(position + 1);
      }
      if (next.size === 0) return false;
      reached = skipEmpty(next);
    }
    return reached.has(tokens.length);
  };

  const skipEmpty = (positions: Set<number>): Set<number> => {
    for (const position of positions) if (tokens[position] === MANY) positions.add(position + 1);
    return positions;
  };

  return { matches, literals };
}

/** An expression that matches characters of one path segment, and one that matches any characters. */
const [ONE, MANY] = ['one', 'many'];
