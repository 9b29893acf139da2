import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

/**
 * Writes a schema's validator as code that needs no package: compiling the schema at each start took the command line
 * a third of its time.
 *
 * @param schema the JSON Schema
 * @returns a TypeScript module for src/policy/language/generated, with the function `validate`
 * @example
 * writeFileSync('src/policy/language/generated/policy-validator.ts', await writeValidator(policySchema));
 */
export async function writeValidator(schema: object): Promise<string> {
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    // The words of an error come from the place that it names in the schema.
    messages: false,
    code: { source: true, esm: true },
  });
  const code = standalone.default(ajv, ajv.compile(bare(schema)));
  const { outputFiles } = await build({
    stdin: { contents: code.replace(/export default \w+;/, ''), resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    lineLimit: 110,
  });
  const [, body, name] =
    /^(.*)export\s*\{\s*(\w+) as validate\s*\};\s*$/s.exec(outputFiles[0]?.text ?? '') ?? [];
  if (body === undefined) throw new Error('esbuild does not end with the one export that is expected.');
  return `// @ts-nocheck: made by "npm run generate"; holds parts of ajv and fast-deep-equal (MIT, Evgeny Poberezkin).
import type { Validator } from '../../language/schema-errors.js';
${body}
export const validate: Validator = ${name};
`;
}

/** A schema without what is only for people: the code would hold it. */
function bare(schema: unknown): object {
  const { description: _, examples: __, title: ___, ...rest } = schema as Readonly<Record<string, unknown>>;
  const parts = Object.entries(rest).map(([key, value]) => {
    if (key === 'properties') {
      return [
        key,
        Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, bare(each)])),
      ];
    }
    if (Array.isArray(value) && (key === 'oneOf' || key === 'anyOf')) return [key, value.map(bare)];
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value) && key !== 'const';
    return [key, isSchema ? bare(value) : value];
  });
  return Object.fromEntries(parts);
}
