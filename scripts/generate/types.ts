/** A JSON Schema, as far as the schemas of this package use the vocabulary. */
interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/**
 * Writes the TypeScript type of the documents that fit a schema. The package publishes this type instead of one that
 * `json-schema-to-ts` derives, because the declarations would then import a development dependency. A type test
 * compares the two. Conditions that only combine `required` are left to the validator.
 *
 * @param schema the JSON Schema
 * @param name the name of the type
 * @returns the statement that exports the type
 * @example
 * writeType({ type: 'array', items: { type: 'string' } }, 'Names'); // 'export type Names = string[];\n'
 */
export function writeType(schema: Schema, name: string): string {
  const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
  return `${about}export type ${name} = ${typeOf(schema, '')};\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const { type } = schema;
  if (type === undefined) {
    const alternatives = schema.anyOf ?? [];
    return alternatives.length === 0 ? 'unknown' : union(alternatives.map((each) => typeOf(each, indent)));
  }
  const types = typeof type === 'string' ? [type] : type;
  return union(types.map((each) => typeOfOne(schema, each, indent)));
}

function typeOfOne(schema: Schema, type: string, indent: string): string {
  switch (type) {
    case 'array': {
      const item = schema.items === undefined ? 'unknown' : typeOf(schema.items, indent);
      return /^[\w"]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
    }
    case 'object':
      return typeOfObject(schema, indent);
    case 'integer':
      return 'number';
    default:
      return type;
  }
}

function typeOfObject(schema: Schema, indent: string): string {
  const { properties, additionalProperties = true, required = [] } = schema;
  const inner = `${indent}  `;
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, inner) : 'unknown';
    return `{ [name: string]: ${value} }`;
  }
  if (additionalProperties !== false)
    throw new Error('A type with both named and other properties is not written.');
  const lines = Object.entries(properties).map(([name, property]) => {
    const about = property.description === undefined ? '' : `${inner}/** ${property.description} */\n`;
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${about}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');
