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
export function compileUriTemplate(template: string) {
  const tokens: { readonly kind: 'literal' | 'one' | 'many'; readonly text: string }[] = [];
  let literals = 0;
  // `split` returns literals at even indexes and expressions at odd indexes.
  for (const [place, part] of template.split(/(\{[^{}]*\})/).entries()) {
    if (place % 2 === 0) {
      for (const text of part) tokens.push({ kind: 'literal', text });
      literals += part.length;
    } else if (/\{[+#./;?&]|\*\}/.test(part)) {
      tokens.push({ kind: 'many', text: part });
    } else {
      tokens.push({ kind: 'one', text: part });
    }
  }

  const matches = (uri: string): boolean => {
    let reached = skipEmpty(new Set([0]));
    for (const character of uri) {
      const next = new Set<number>();
      for (const position of reached) {
        const token = tokens[position];
        if (token === undefined) continue;
        if (token.kind === 'literal') {
          if (token.text === character) next.add(position + 1);
        } else if (token.kind === 'many') {
          next.add(position);
        } else if (character !== '/' && character !== '?' && character !== '#') {
          next.add(position);
          next.add(position + 1);
        }
      }
      if (next.size === 0) return false;
      reached = skipEmpty(next);
    }
    return reached.has(tokens.length);
  };

  const skipEmpty = (positions: Set<number>): Set<number> => {
    for (const position of positions) if (tokens[position]?.kind === 'many') positions.add(position + 1);
    return positions;
  };

  return { matches, literals };
}
