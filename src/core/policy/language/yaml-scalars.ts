/**
 * Writes a text as a YAML scalar. The text is quoted wherever YAML could read it as something else, such as `yes`.
 *
 * @param text any text, for example the name of a primitive
 * @returns the text, in double quotes if it needs them
 * @example
 * toYamlScalar('encryptData'); // 'encryptData'
 * toYamlScalar('yes'); // '"yes"'
 */
export function toYamlScalar(text: string): string {
  const isPlain =
    /^[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*$/.test(text) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : toQuotedYaml(text);
}

/**
 * Writes a text as a double-quoted YAML scalar. YAML accepts every JSON string in this place. Characters that an editor
 * does not show, such as U+FEFF, are escaped as well.
 *
 * @param text any text
 * @returns the text in double quotes
 * @example
 * toQuotedYaml('say: "hi"'); // '"say: \\"hi\\""'
 */
export function toQuotedYaml(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Writes data as YAML on one line.
 *
 * @param data data of JSON
 * @returns the data in flow style
 * @example
 * toYamlFlow({ values: ['low', 'high'] }); // '{ values: [low, high] }'
 */
export function toYamlFlow(data: unknown): string {
  if (typeof data === 'string') return toYamlScalar(data);
  if (Array.isArray(data)) return `[${data.map(toYamlFlow).join(', ')}]`;
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  const entries = Object.entries(data).map(([key, value]) => `${toYamlScalar(key)}: ${toYamlFlow(value)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
