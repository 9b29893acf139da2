/** A part of the data that does not fit the schema, as ajv reports it. */
export interface SchemaError {
  /** The place in the data, as a JSON pointer (RFC 6901). */
  readonly instancePath: string;
  /** The place in the schema, as a JSON pointer in a URI fragment. */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The validator of a schema, as `npm run generate` writes it. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}
