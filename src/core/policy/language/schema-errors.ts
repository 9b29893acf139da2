import type { Path } from './read-yaml.js';

/** A part of a file that does not fit the schema, as ajv reports it. */
export interface SchemaError {
  /** The place in the data, as a JSON pointer (RFC 6901). */
  readonly instancePath: string;
  /** The place in the schema, as a JSON pointer in a URI fragment (RFC 6901, section 6). */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The key that does not fit, if the error is about a key and not about its value. */
  readonly propertyName?: string;
}

/** The validator of a schema. `npm run generate` writes such functions. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** @returns the path of the part that an error is about */
export function pathOf({ instancePath, keyword, params, propertyName }: SchemaError): Path {
  const path = stepsOf(instancePath);
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)];
  return propertyName === undefined ? path : [...path, propertyName];
}

/**
 * Splits a JSON pointer into its steps (RFC 6901, sections 3 and 4).
 *
 * @param pointer the pointer, as `/a/0`
 * @returns the unescaped steps
 * @example
 * stepsOf('/tools/a~1b'); // ['tools', 'a/b']
 */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
