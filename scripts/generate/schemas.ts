import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parse } from 'yaml';
import { writeType } from './types.js';
import { writeValidator } from './validator.js';

/** The schemas that people write, each with what it describes, its type and, if editors use it, its place as JSON. */
const SCHEMAS = [
  ['src/cli/project/project.schema.yaml', 'a project file', 'ProjectDocument', 'policies/config.schema.json'],
  ['src/deploy/endpoint.schema.yaml', 'what a function serves', 'Endpoint', undefined],
  ['src/core/policy/language/policy.schema.yaml', 'a policy file', 'PolicyDocument', 'policies/schema.json'],
  [
    'src/core/policy/testing/test-file.schema.yaml',
    'a test file',
    'WholeTestFile',
    'policies/test.schema.json',
  ],
] as const;

/**
 * Generates what is derived from the schemas: for each a module with the schema and its type, a module with its
 * validator, and the schema for editors.
 *
 * @returns the text of each file, by its path in the repository
 */
export async function schemaFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [source, what, type, published] of SCHEMAS) {
    const schema: object = parse(readFileSync(source, 'utf8'), { merge: true });
    const name = basename(source, '.schema.yaml');
    const generated = `${dirname(source)}/generated/${name}`;
    const constant = `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Schema`;
    const about = `/** The JSON Schema (draft-07) of ${what}. */`;
    const module = writeConstant(about, constant, schema);
    files.set(
      `${generated}-schema.ts`,
      `// Made by "npm run generate" from ${basename(source)}.\n${module}\n${writeType(schema, type)}`,
    );
    files.set(`${generated}-validator.ts`, await writeValidator(schema, constant, `./${name}-schema.js`));
    if (published !== undefined) files.set(published, `${JSON.stringify(schema, null, 2)}\n`);
  }
  return files;
}

/** Shorter parts are as short as the name of a constant. */
const LONG_PART = 60;

/** Writes a schema as a constant. Written out, parts that repeat would add 4 KB to every bundle with the schema of a policy. */
function writeConstant(about: string, name: string, schema: object): string {
  const texts: string[] = [];
  JSON.stringify(schema, (_, part: unknown) => {
    if (typeof part === 'object') texts.push(JSON.stringify(part));
    return part;
  });
  const repeated = new Set(texts.filter((text, at) => text.length >= LONG_PART && texts.indexOf(text) < at));
  let code = `${about}\nexport const ${name} = ${JSON.stringify(schema)} as const;\n`;
  // Long parts first: they contain the short ones, which then stand above them.
  for (const [index, text] of [...repeated].sort((a, b) => b.length - a.length).entries()) {
    const rest = code.split(text);
    if (rest.length > 2)
      code = `const part${index} = ${text} as const;\n${rest.join(`part${index} as typeof part${index}`)}`;
  }
  return code;
}
