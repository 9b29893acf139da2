import type { CompiledPolicy, Settings } from '../../core/engine/policy.js';
import { read } from '../../core/wire/messages.js';

/** The values that hide more. A file that ends too early says nothing of settings, so the default applies. */
const HIDING: Partial<Settings> = { unmapped: 'hide', enforcement: 'enforce', defaults: 'always' };

/**
 * Returns the parts of a policy that another policy does not have: what a file that was read too early lacks. A part with
 * another value is not lost. Of parts within each other, the largest is returned.
 *
 * @param before the policy in force
 * @param after the policy to replace it
 * @returns the parts in words, such as `tools deleteKey`, `rules never` or `settings unmapped: hide`
 * @example
 * lostParts(before, after); // []
 */
export function lostParts(before: CompiledPolicy, after: CompiledPolicy): readonly string[] {
  const settings = Object.entries(HIDING).filter(
    ([name, value]) => read(before.settings, name) === value && read(after.settings, name) !== value,
  );
  return [...partsOf(before, after), ...settings.map(([name, value]) => `settings ${name}: ${value}`)];
}

function partsOf(before: unknown, after: unknown, path = ''): readonly string[] {
  const now = membersOf(after);
  return [...membersOf(before)].flatMap(([name, member]) => {
    const part = `${path} ${name}`.trim().replace(/^(primitives|patterns) (?=.)/, '');
    return now.has(name) ? partsOf(member, now.get(name), part) : [part];
  });
}

/** The members of a list have names or ids, or else the number of their place. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map();
  const nameOf = (item: unknown, index: number): string =>
    String(read(item, 'name') ?? read(item, 'id') ?? index + 1);
  return new Map(
    Array.isArray(value) ? value.map((item, index) => [nameOf(item, index), item]) : Object.entries(value),
  );
}
