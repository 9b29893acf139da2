/** What `filled` fills in for a name. */
export type Filling = string | number | boolean | undefined | readonly string[];

/** What a text needs: one value for each `${name}` in it. */
export type FillingsOf<Text> = { readonly [Name in NamesIn<Text>]: Filling };

type NamesIn<Text> = Text extends `${string}\${${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/**
 * Fills in the names of a text of a data file. A name that is alone on its line stands for the lines of a list, each with the
 * same indentation. What is filled in is not read again.
 *
 * @param text the text, with `${name}`
 * @param values what is filled in, by its name
 * @returns the text
 * @example
 * filled('values:\n  ${values}\n', { values: ['- low', '- high'] }); // 'values:\n  - low\n  - high\n'
 */
export function filled<Text extends string>(text: Text, values: FillingsOf<Text>): string {
  const known = new Map<string, unknown>(Object.entries(values));
  return text.replace(/^( *)\$\{(\w+)\}\n|\$\{(\w+)\}/gm, (_, indent, line, name) =>
    line === undefined
      ? String(known.get(name))
      : [known.get(line)].flat().reduce<string>((lines, each) => `${lines}${each && indent}${each}\n`, ''),
  );
}
