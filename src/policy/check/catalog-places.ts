import { isTruthy } from '../../engine/expression/evaluate.js';
import type { Mapping } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { Problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import type { CheckedFile, PolicyPart } from './check-values.js';
import type { SeveralCatalog } from './servers/own-catalog.js';

/** Adds a warning about a part of a file. The fix of what is not needed removes the part, unless it has a replacement. */
export type ReportPart = (file: CheckedFile, path: Path, problem: Problem, isNeeded?: boolean) => void;

/** The input of each check against a catalog. */
export interface CatalogCheck {
  /** The files of the policy, without the parts that have errors. */
  readonly files: readonly CheckedFile[];
  /** The policy that was compiled from these files. */
  readonly policy: Policy;
  /** What the server lists. */
  readonly catalog: SeveralCatalog;
  readonly report: ReportPart;
}

/**
 * Finds the part of a policy that decides the values of a primitive: its entry, else the last pattern that matches, else
 * the last `assign` that fires. If there is none, finds the section of its kind, or else the last file.
 *
 * @param files the files of the policy
 * @param policy the policy that was compiled from these files
 * @param kind the kind of the primitive
 * @param name its name, URI or URI template; `undefined` for the section
 * @param mapping its values, if the server lists it
 * @returns the place
 * @example
 * placeOfPrimitive(files, policy, 'tools', 'logData', mapping).path; // ['patterns', 'tools', 'log*']
 */
export function placeOfPrimitive(
  files: readonly CheckedFile[],
  policy: Policy,
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
    const pattern = policy.patterns[kind].findLast(({ matches }) => matches(name));
    const found =
      entryOf('primitives', kind, name) ??
      (template && entryOf('primitives', 'resourceTemplates', template.name)) ??
      (pattern && entryOf('patterns', kind, pattern.name)) ??
      (mapping && assignPlace(files, policy, mapping));
    if (found !== undefined) return found;
  }
  const file = files.find(({ document }) => document.primitives?.[kind] !== undefined) ?? files.at(-1);
  if (file === undefined) throw new TypeError('A policy has at least one file.');
  return { file, path: file.document.primitives?.[kind] === undefined ? [] : ['primitives', kind] };
}

function assignPlace(
  files: readonly CheckedFile[],
  policy: Policy,
  { primitive }: Mapping,
): PolicyPart | undefined {
  // The policy has the items of all files, in the order of the files.
  const places = files.flatMap((file) =>
    (file.document.assign ?? []).map((_item, index): PolicyPart => ({ file, path: ['assign', index] })),
  );
  return places[policy.assigns.findLastIndex(({ fires }) => isTruthy(fires({ primitive }, [])))];
}
