/** One part of preferences in a text: a preset, or a concern with its value or its values. */
export type PreferencePart = readonly [name: string, value: string | readonly string[]];

/**
 * Reads one part of preferences, in the spelling that the URL, the header and the command line share: `look` names a preset,
 * `effect=read-only` and `effect:read-only` a value, `topic:documents|charts` several.
 *
 *     preferences = part *( "," part )
 *     part        = preset | name ( "=" / ":" ) value *( "|" value )
 *
 * Names and values that hosts can set contain none of `=`, `:`, `|` and `,`, so each text has one meaning.
 *
 * @param text the part
 * @returns the name and what it is to be, with `preset` as the name for a preset; `undefined` if a name or value is missing
 * @example
 * readPart('topic:documents|charts'); // ['topic', ['documents', 'charts']]
 */
export function readPart(text: string): PreferencePart | undefined {
  const end = text.search(/[:=]/);
  if (end === -1) return text === '' ? undefined : ['preset', text];
  const [name, value] = [text.slice(0, end), text.slice(end + 1)];
  const values = value.split('|');
  if (name === '' || values.includes('')) return undefined;
  return [name, values.length === 1 ? value : values];
}

/** A part that needs neither quotes nor blanks. */
const PLAIN = /^[a-z][a-z0-9_-]*(?:[:=][\w.-]+(?:\|[\w.-]+)*)?$/;

/**
 * Reads preferences that consist of plain parts only.
 *
 * @param text the parts, separated by commas
 * @returns the concerns by name; `undefined` if something is not a plain part
 * @example
 * readPlainParts('look, effect:read-only'); // { preset: 'look', effect: 'read-only' }
 */
export function readPlainParts(text: string): Record<string, unknown> | undefined {
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => PLAIN.test(part))) return undefined;
  const read = parts.map(readPart);
  return read.every((part) => part !== undefined) ? Object.fromEntries(read) : undefined;
}
