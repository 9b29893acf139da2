/** Makes the schema of a text that must not be empty, as a part of the schema of a file. */
export const text = (description: string, example: string) =>
  ({ description, type: 'string', minLength: 1, examples: [example] }) as const;

/** Makes that of a text that may be empty. */
export const anyText = (description: string, example: string) =>
  ({ description, type: 'string', examples: [example] }) as const;

/** Makes that of one of several words. */
export const choice = <const V extends readonly string[]>(
  description: string,
  values: V,
  example: V[number],
) => ({ description, enum: values, examples: [example] }) as const;

/** Makes that of a yes or no. */
export const flag = (description: string) => ({ description, type: 'boolean', examples: [true] }) as const;
