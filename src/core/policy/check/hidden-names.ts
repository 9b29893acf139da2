import { canShowWithout } from '../../analysis/analyze.js';
import type { Mapping } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';

/**
 * Finds the primitives that a text names, and which can be hidden while the text is visible: a model would try to use them.
 *
 * @param policy the policy
 * @param listed the primitives that the server lists
 * @returns a function from a text, and the primitive that it describes, to the names in it; without a primitive, the text is
 *   always visible
 * @example
 * hiddenNamesIn(policy, listed)('Call delete_note to remove it.'); // ['delete_note']
 */
export function hiddenNamesIn(
  policy: Policy,
  listed: readonly { readonly kind: Kind; readonly name: string; readonly mapping: Mapping }[],
): (text: unknown, own?: Mapping) => readonly string[] {
  // Only names that cannot be ordinary words: "delete" occurs in many texts that do not mean the tool.
  const telling = listed.filter(
    ({ kind, name }) => (kind === 'tools' || kind === 'prompts') && /[_-]|[a-z][A-Z]/.test(name),
  );
  const mappings = new Map(telling.map(({ name, mapping }) => [name, mapping]));
  return (text, own) => {
    if (typeof text !== 'string') return [];
    return [...new Set(text.split(/[^A-Za-z0-9_-]+/))].filter((word) => {
      const mapping = mappings.get(word);
      return mapping !== undefined && canShowWithout(policy, own, mapping);
    });
  };
}
