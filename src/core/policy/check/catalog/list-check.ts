import type { ListedPrimitive, Mapping } from '../../../engine/mapping.js';
import { mapListed } from '../../../engine/pins.js';
import type { Kind, Policy } from '../../../engine/policy.js';
import { listedIn } from '../../../engine/uses/use-primitives.js';
import type { Finding } from '../../language/findings.js';
import type { Problem } from '../../language/problem.js';
import type { Path } from '../../language/read-yaml.js';
import { placeOfPrimitive } from '../catalog-places.js';
import { type CheckedFile, type PolicyPart, reportsIn } from '../check-values.js';
import type { PolicyCatalog } from '../servers/own-catalog.js';

/** A primitive that the server lists, with the values that the policy gives it. */
export interface Listed extends ListedPrimitive {
  readonly mapping: Mapping;
}

/** The kind and the name of a primitive. */
export type Named = Pick<Listed, 'kind' | 'name'>;

/** A policy and what a server lists, and how the checks of one against the other report. */
export interface ListCheck {
  readonly files: readonly CheckedFile[];
  readonly policy: Policy;
  readonly catalog: PolicyCatalog;
  readonly findings: Finding[];
  readonly listed: readonly Listed[];
  /** Adds a warning to a part of a file. */
  report(part: PolicyPart, found: Problem): void;
  /** Adds a warning to the part that decides about a primitive; without a name, to the section of its kind. */
  warn(about: { readonly kind: Kind; readonly name?: string }, found: Problem): void;
  /** Adds a warning to the first file: it is about the whole policy. */
  warnPolicy(found: Problem, path?: Path): void;
}

/**
 * Maps what a server lists, once for all checks.
 *
 * @param files the files of the policy, without the parts that have errors
 * @param policy the policy that was compiled from these files
 * @param catalog the primitives that the server lists
 */
export function listCheck(files: readonly CheckedFile[], policy: Policy, catalog: PolicyCatalog): ListCheck {
  const findings: Finding[] = [];
  const listed = listedIn(policy, catalog).map((each): Listed => {
    return { ...each, mapping: mapListed(policy, each.kind, each.primitive) };
  });
  const mappings = new Map(listed.map(({ kind, name, mapping }) => [`${kind} ${name}`, mapping]));
  const report = ({ file, path }: PolicyPart, found: Problem): void =>
    reportsIn(file, findings).warn(path, found, 'key');
  const warn = ({ kind, name }: { readonly kind: Kind; readonly name?: string }, found: Problem): void =>
    report(placeOfPrimitive({ files, policy }, kind, name, mappings.get(`${kind} ${name}`)), found);
  const warnPolicy = (found: Problem, path: Path = []): void => {
    for (const file of files.slice(0, 1)) report({ file, path }, found);
  };
  return { files, policy, catalog, findings, listed, report, warn, warnPolicy };
}
