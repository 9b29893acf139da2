import { isTruthy } from '../../engine/expression/evaluate.js';
import type { Mapping } from '../../engine/mapping.js';
import { compileGlob } from '../../engine/match/glob.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { NamedUse } from '../../engine/uses/policy-uses.js';
import { parseUse, type UseName } from '../../engine/uses/use-name.js';
import type { Finding } from '../language/findings.js';
import type { CheckedFile, PolicyPart } from './check-values.js';
import type { SeveralCatalog } from './servers/own-catalog.js';

/** Whether a pattern is about the values of an argument. */
const isPatternOf = ({ isPattern, matchesTool, matchesArgument, value }: NamedUse, use: UseName): boolean =>
  isPattern &&
  matchesTool(use.tool) &&
  matchesArgument(use.argument) &&
  value !== undefined &&
  compileGlob(value)(use.value ?? '');

/** The input of each check against a catalog. */
export interface CatalogCheck {
  /** The files of the policy, without the parts that have errors. */
  readonly files: readonly CheckedFile[];
  /** The policy that was compiled from these files. */
  readonly policy: Policy;
  /** What the server lists. */
  readonly catalog: SeveralCatalog;
  readonly findings: Finding[];
}

/**
 * Finds the part of a policy that decides the values of a primitive: its entry, else the last pattern that matches, else
 * the last `assign` that fires. If there is none, finds the section of its kind, or else the last file.
 *
 * @param check the files of the policy, and the policy that was compiled from them
 * @param kind the kind of the primitive
 * @param name its name, URI or URI template; `undefined` for the section
 * @param mapping its values, if the server lists it
 * @returns the place
 * @example
 * placeOfPrimitive(check, 'tools', 'logData', mapping).path; // ['patterns', 'tools', 'log*']
 */
export function placeOfPrimitive(
  { files, policy }: Pick<CatalogCheck, 'files' | 'policy'>,
  kind: Kind,
  name: string | undefined,
  mapping: Mapping | undefined,
): PolicyPart {
  const entryOf = (section: 'primitives' | 'patterns', of: Kind, key: string): PolicyPart | undefined => {
    const file = files.find(({ document }) => Object.hasOwn(document[section]?.[of] ?? {}, key));
    return file && { file, path: [section, of, key] };
  };
  if (name !== undefined) {
    const template = kind === 'resources' ? policy.covering.find(({ matches }) => matches(name)) : undefined;
    const use = kind === 'tools' ? parseUse(name) : undefined;
    const pattern =
      use === undefined
        ? policy.patterns[kind].findLast(({ matches }) => matches(name))
        : policy.uses.findLast((each) => isPatternOf(each, use));
    // The policy has the items of all files, in the order of the files.
    const assigns = files.flatMap((file) =>
      (file.document.assign ?? []).map((_item, index): PolicyPart => ({ file, path: ['assign', index] })),
    );
    const lastFiring = (): number =>
      policy.assigns.findLastIndex(({ fires }) => isTruthy(fires({ primitive: mapping?.primitive }, [])));
    const found =
      entryOf('primitives', kind, name) ??
      (template && entryOf('primitives', 'resourceTemplates', template.name)) ??
      (pattern && entryOf('patterns', kind, pattern.name)) ??
      (mapping && assigns[lastFiring()]);
    if (found !== undefined) return found;
  }
  const file = files.find(({ document }) => document.primitives?.[kind] !== undefined) ?? files.at(-1);
  if (file === undefined) throw new TypeError('A policy has at least one file.');
  return { file, path: file.document.primitives?.[kind] === undefined ? [] : ['primitives', kind] };
}
