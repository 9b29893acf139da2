/**
 * The operators of RFC 6570, section 3.2.1, and `''` for no operator: what comes first, what separates the variables, and whether
 * their names are written. `+` and `#` keep reserved characters.
 */
const OPERATORS: Readonly<Record<string, readonly [first: string, separator: string, isNamed?: true]>> = {
  '': ['', ','],
  '+': ['', ','],
  '#': ['#', ','],
  '.': ['.', '.'],
  '/': ['/', '/'],
  ';': [';', ';', true],
  '?': ['?', '&', true],
  '&': ['&', '&', true],
};

/**
 * Expands a URI template with strings (RFC 6570, levels 1 to 3, and the modifiers of level 4 on strings). Servers differ
 * in whether they percent-encode values, so there are two expansions.
 *
 * An expression without a value stays in the URI as it is if a value is required there, so that the URI still matches
 * the template. The operators `#`, `.`, `/`, `;`, `?` and `&` do not require a value: their expressions are removed.
 *
 * @param template the template
 * @param lookUp returns the value of a variable; `undefined` if it has none
 * @returns the URI with percent-encoded values, and the URI with the values as they are; one URI if these are equal
 * @example
 * expandTemplate('vault://{+path}{?tag}', (name) => (name === 'path' ? 'a/b c' : undefined));
 * // ['vault://a/b%20c', 'vault://a/b c']
 */
export function expandTemplate(
  template: string,
  lookUp: (name: string) => string | undefined,
): readonly string[] {
  const expand = (isEncoded: boolean): string =>
    template.replace(EXPRESSION, (expression, symbol: string, variables: string) => {
      const [first = '', separator, isNamed] = OPERATORS[symbol] ?? [];
      const expanded = variables.split(',').flatMap((variable) => {
        const [, name = variable, prefix] = VARIABLE.exec(variable) ?? [];
        const value = lookUp(name);
        if (value === undefined) return [];
        const shown = prefix === undefined ? value : Array.from(value).slice(0, Number(prefix)).join('');
        const text = isEncoded ? percentEncode(shown, symbol === '+' || symbol === '#') : shown;
        if (isNamed !== true) return [text];
        return [text === '' && symbol === ';' ? name : `${name}=${text}`];
      });
      if (expanded.length > 0) return first + expanded.join(separator);
      return symbol === '' || symbol === '+' ? expression : '';
    });
  return [...new Set([expand(true), expand(false)])];
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const VARIABLE = /^([^*:]*)(?:\*|:(\d{1,4}))$/;

/** Encodes all but unreserved characters; with `reserved`, also reserved characters and escapes stay. */
function percentEncode(value: string, reserved: boolean): string {
  const text = value.replace(/\p{Cs}/gu, '\ufffd');
  // JavaScript leaves other characters than RFC 6570 does.
  if (!reserved) {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  }
  return encodeURI(text)
    .replace(/%5[BD]/g, decodeURIComponent)
    .replace(/%25([0-9a-f]{2})/gi, '%$1');
}
