import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parse } from 'yaml';

/** What people write as YAML and code reads: each key of a file becomes a constant. */
const DATA = [
  'src/cli/inputs/client-capabilities.yaml',
  'src/cli/options/help.yaml',
  'src/core/gate/table/methods.yaml',
  'src/core/policy/check/rule-paths.yaml',
  'src/core/policy/language/findings.yaml',
];
/** Lists of words, which become sets, and pairs of words, which become maps. */
const WORDS = ['src/core/policy/propose/words/word-lists.yaml'];

/** @returns the modules that are generated from data, by their path in the repository */
export const dataFiles = (): [file: string, text: string][] => [
  ...DATA.map((source) => moduleOf(source, (value) => `${JSON.stringify(value)} as const`)),
  ...WORDS.map((source) =>
    moduleOf(source, (value) =>
      typeof value === 'string'
        ? `new Set(${JSON.stringify(value.split(' '))}) as ReadonlySet<string>`
        : `new Map(Object.entries(${JSON.stringify(value)})) as ReadonlyMap<string, string>`,
    ),
  ),
];

function moduleOf(source: string, write: (value: unknown) => string): [file: string, text: string] {
  const data: object = parse(readFileSync(source, 'utf8'));
  const constants = Object.entries(data).map(([name, value]) => `export const ${name} = ${write(value)};\n`);
  const name = basename(source, '.yaml');
  return [
    `${dirname(source)}/generated/${name}.ts`,
    `// Made by "npm run generate" from ${name}.yaml.\n${constants.join('')}`,
  ];
}
