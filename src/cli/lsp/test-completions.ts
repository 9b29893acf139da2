import { membersOf } from '../../core/engine/expression/evaluate.js';
import { identityOf } from '../../core/engine/mapping.js';
import { KINDS } from '../../core/engine/policy.js';
import {
  type Completion,
  type Completions,
  completion,
  concernValues,
  schemaAt,
} from '../../core/policy/check/completions.js';
import { positionInYaml } from '../../core/policy/language/path-at.js';
import { toYamlScalar } from '../../core/policy/language/yaml-scalars.js';
import { testFileSchema } from '../../core/policy/testing/test-schema.js';
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
  if (position === undefined) return { from: offset, items: [] };
  const { path, writes, from } = position;
  const [section, , key, part] = path;
  const kind = KINDS.find((each) => each === key);
  if (kind !== undefined && LISTS.includes(String(part)))
    return { from, items: (open.catalog[kind] ?? []).map((each) => scalar(identityOf(kind, each))) };
  if (section === 'tests' && key === 'concerns') return { from, items: preferencesAt(part, writes, open) };
  if (writes !== 'key') return { from, items: [] };
  const keys = Object.entries(membersOf(schemaAt(path, testFileSchema)?.properties));
  return {
    from,
    items: keys.map(([name, schema]) => completion(name, `${name}: `, membersOf(schema).description)),
  };
}

/** The concerns and the presets of the policy, or the values of one of them. */
function preferencesAt(
  concern: string | 0 | undefined,
  writes: 'key' | 'value',
  { concerns, presets }: OpenPolicy,
): Completion[] {
  if (concern === undefined) {
    if (writes !== 'key') return ['none', ...presets].map(scalar);
    return [...concerns.map(({ name }) => name), 'preset'].map((name) => completion(name, `${name}: `));
  }
  return concern === 'preset' ? presets.map(scalar) : concernValues({ concerns }, String(concern));
}

const scalar = (label: string): Completion => completion(label, toYamlScalar(label));
