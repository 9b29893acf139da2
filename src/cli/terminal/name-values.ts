/**
 * Writes values as `--concern` takes them.
 *
 * @param values a value, or several values, by the name of the concern
 * @returns one text for each concern
 * @example
 * nameValues({ security: 'high', topic: ['maps', 'charts'] }); // ['security=high', 'topic=maps,charts']
 */
export const nameValues = (values: object): string[] =>
  Object.entries(values).map(([name, value]: [string, unknown]) => `${name}=${[value].flat().join(',')}`);
