import { identityOf } from '../../engine/mapping.js';
import { KINDS } from '../../engine/policy.js';
import type { Completion, Completions } from '../../policy/check/completions.js';
import { positionInYaml } from '../../policy/language/path-at.js';
import { toYamlScalar } from '../../policy/language/yaml-scalars.js';
import { testFileSchema } from '../../policy/testing/test-schema.js';
import type { OpenPolicy } from './open-policy.js';

/** The lists of an expectation. */
const LISTS = ['includes', 'excludes', 'only'];

/**
 * Finds what can be written at a position of a test file: keys, names of primitives, concerns, values and presets.
 *
 * @param text the text of the test file
 * @param offset the position
 * @param open the policy and the catalog that the file names
 * @returns the completions, and where the word begins that they replace
 * @example
 * testCompletionsAt(text, offset, open).items.map(({ label }) => label); // ['encryptData', 'decryptData']
 */
export function testCompletionsAt(text: string, offset: number, open: OpenPolicy): Completions {
  const position = positionInYaml(text, offset);
  if (position === undefined || position.path[0] !== 'tests') {
    const top = position?.path.length === 0 && position.writes === 'key';
    return { from: position?.from ?? offset, items: top ? keysOf(testFileSchema.properties) : [] };
  }
  const { path, writes, from } = position;
  const [, , key, part] = path;
  const isKey = writes === 'key';
  if (key === undefined) return { from, items: keysOf(testFileSchema.properties.tests.items.properties) };
  const kind = KINDS.find((each) => each === key);
  if (kind !== undefined) {
    if (path.length === 3 && isKey) {
      const { properties } = testFileSchema.properties.tests.items.properties[kind];
      return { from, items: keysOf(properties) };
    }
    const names = LISTS.includes(String(part)) ? (open.catalog[kind] ?? []) : [];
    return { from, items: names.map((each) => scalar(identityOf(kind, each))) };
  }
  if (key !== 'concerns') return { from, items: [] };
  if (path.length === 3) {
    if (!isKey) return { from, items: ['none', ...open.presets].map(scalar) };
    const keys = open.concerns.map(({ name }) => ({ label: name, text: `${name}: ` }));
    return { from, items: [...keys, { label: 'preset', text: 'preset: ' }] };
  }
  if (part === 'preset') return { from, items: open.presets.map(scalar) };
  const values = open.concerns.find(({ name }) => name === part)?.values ?? [];
  return { from, items: 'min' in values ? [] : values.map(scalar) };
}

const scalar = (label: string): Completion => ({ label, text: toYamlScalar(label) });

const keysOf = (properties: Readonly<Record<string, { readonly description?: string }>>): Completion[] =>
  Object.entries(properties).map(([label, { description }]) => ({
    label,
    text: `${label}: `,
    ...(description === undefined ? {} : { description }),
  }));
