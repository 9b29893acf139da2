import { isTruthy } from '../../engine/expression/evaluate.js';
import { type Mapping, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { CheckedFile, PolicyPart } from './check-values.js';

/**
 * Finds the part of a policy that decides the values of a primitive: its entry, else the last pattern that matches, else
 * the last `assign` that fires. If there is none, finds the section of its kind, or else the last file.
 *
 * @param files the files of the policy
 * @param policy the policy that was compiled from these files
 * @param kind the kind of the primitive
 * @param name its name, URI or URI template; `undefined` for the section
 * @param primitive the primitive as the server lists it
 * @returns the place
 * @example
 * placeOfPrimitive(files, policy, 'tools', 'logData', { name: 'logData' }).path; // ['patterns', 'tools', 'log*']
 */
export function placeOfPrimitive(
  files: readonly CheckedFile[],
  policy: Policy,
  kind: Kind,
  name: string | undefined,
  primitive: Primitive | undefined,
): PolicyPart {
  const found =
    name === undefined
      ? undefined
      : (entryPlace(files, kind, name) ??
        coveringPlace(files, policy, kind, name) ??
        patternPlace(files, policy, kind, name) ??
        assignPlace(files, policy, primitive && mapPrimitive(policy, kind, primitive)));
  if (found !== undefined) return found;
  const file = files.find(({ document }) => document.primitives?.[kind] !== undefined) ?? files.at(-1);
  if (file === undefined) throw new TypeError('A policy has at least one file.');
  return { file, path: file.document.primitives?.[kind] === undefined ? [] : ['primitives', kind] };
}

function entryPlace(files: readonly CheckedFile[], kind: Kind, name: string): PolicyPart | undefined {
  const file = files.find(({ document }) => Object.hasOwn(document.primitives?.[kind] ?? {}, name));
  return file && { file, path: ['primitives', kind, name] };
}

function coveringPlace(
  files: readonly CheckedFile[],
  policy: Policy,
  kind: Kind,
  uri: string,
): PolicyPart | undefined {
  const template = kind === 'resources' && policy.covering.find(({ matches }) => matches(uri));
  return template ? entryPlace(files, 'resourceTemplates', template.name) : undefined;
}

function patternPlace(
  files: readonly CheckedFile[],
  policy: Policy,
  kind: Kind,
  name: string,
): PolicyPart | undefined {
  const pattern = policy.patterns[kind].findLast(({ matches }) => matches(name));
  if (pattern === undefined) return undefined;
  const file = files.find(({ document }) => Object.hasOwn(document.patterns?.[kind] ?? {}, pattern.name));
  return file && { file, path: ['patterns', kind, pattern.name] };
}

function assignPlace(
  files: readonly CheckedFile[],
  policy: Policy,
  mapping: Mapping | undefined,
): PolicyPart | undefined {
  if (mapping === undefined) return undefined;
  // The policy has the items of all files, in the order of the files.
  const places = files.flatMap((file) =>
    (file.document.assign ?? []).map((_item, index): PolicyPart => ({ file, path: ['assign', index] })),
  );
  const last = policy.assigns.findLastIndex(({ fires }) =>
    isTruthy(fires({ primitive: mapping.primitive }, [])),
  );
  return places[last];
}
