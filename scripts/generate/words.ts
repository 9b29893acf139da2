import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The sets and maps of words that `init` knows. */
const WORDS = 'src/policy/propose/word-lists';
/** The codes of findings. */
const CODES = 'src/policy/language/finding-codes';

/** @returns the modules that are generated from lists of words, by their path in the repository */
export const wordFiles = (): [file: string, text: string][] => [
  [generated(WORDS), `${header(WORDS)}${Object.entries(read(WORDS)).map(constantOf).join('')}`],
  [generated(CODES), `${header(CODES)}export const CODES = ${JSON.stringify(read(CODES))} as const;\n`],
];

function constantOf([name, words]: [string, unknown]): string {
  const [type, value] =
    typeof words === 'string'
      ? ['ReadonlySet<string>', `new Set(${JSON.stringify(words)}.split(' '))`]
      : ['ReadonlyMap<string, string>', `new Map(Object.entries(${JSON.stringify(words)}))`];
  return `export const ${name}: ${type} = ${value};\n`;
}

const read = (name: string): object => parse(readFileSync(`${name}.yaml`, 'utf8'));
const generated = (name: string): string => name.replace(/\/(?=[^/]+$)/, '/generated/').concat('.ts');
const header = (name: string): string =>
  `// Made by "npm run generate" from ${name.split('/').at(-1)}.yaml.\n`;
