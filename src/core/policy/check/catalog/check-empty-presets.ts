import { resolveConfiguration } from '../../../engine/configuration.js';
import { evaluate } from '../../../engine/evaluate.js';
import type { Mapping } from '../../../engine/mapping.js';
import type { Kind, Policy } from '../../../engine/policy.js';
import { type Problem, problem } from '../../language/problem.js';
import type { CheckedFile, PolicyPart } from '../check-values.js';

/** The primitives of a catalog with the values that a policy gives them. */
interface EmptyPresetCheck {
  readonly files: readonly CheckedFile[];
  readonly policy: Policy;
  readonly listed: readonly { readonly kind: Kind; readonly mapping: Mapping }[];
  /** Adds a warning to a part of a file. */
  report(part: PolicyPart, found: Problem): void;
}

/**
 * Reports presets that show no tool of the catalog: who chooses one gets an empty list.
 *
 * @param check the policy and the catalog
 */
export function checkEmptyPresets({ files, policy, listed, report }: EmptyPresetCheck): void {
  const tools = listed.filter(({ kind }) => kind === 'tools');
  if (tools.length === 0) return;
  for (const preset of policy.presets.keys()) {
    const reasons = hiddenBy(policy, preset, tools);
    if (reasons === undefined) continue;
    const file = files.find(({ document }) => Object.hasOwn(document.presets ?? {}, preset));
    const found = problem('empty-preset', { preset, total: tools.length, reasons });
    if (file !== undefined) report({ file, path: ['presets', preset] }, found);
  }
}

/** Returns what hides how many tools; `undefined` if the preset shows one. */
function hiddenBy(policy: Policy, preset: string, tools: readonly { readonly mapping: Mapping }[]) {
  const configuration = resolveConfiguration(policy, [{ from: 'session', concerns: { preset } }]);
  const counts = new Map<string, number>();
  for (const { mapping } of tools) {
    const { effect, reason } = evaluate(mapping, configuration);
    if (effect === 'show') return undefined;
    const by =
      reason.code === 'concern-mismatch' ? reason.concern : reason.code === 'rule' ? reason.rule : 'unmapped';
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  const [first, ...others] = [...counts].map(([by, count]) => [by, count] as const);
  return first === undefined
    ? undefined
    : [`${first[0]} hides ${first[1]}`, ...others.map(([by, count]) => `${by} ${count}`)].join(', ');
}
