import type { Path } from '../language/read-yaml.js';
import { withoutParts } from '../language/validate.js';
import type { CheckedFile, PolicyPart } from './check-values.js';

/**
 * Removes the parts of a policy that have errors, so that the rest can be checked against a catalog in the same run.
 *
 * @param files the files of the policy
 * @param wrong the parts with errors
 * @returns the files without these parts. References to a removed concern stay: compiling leaves them out
 * @example
 * rightParts(files, [{ file, path: ['rules', 0, 'when'] }]); // without the first rule
 */
export function rightParts(files: readonly CheckedFile[], wrong: readonly PolicyPart[]): CheckedFile[] {
  return files.map((file) => {
    const units = wrong.filter((each) => each.file === file).map(({ path }) => unitOf(path));
    const right = withoutParts(file, units);
    return { ...right, source: { ...file.source, locate: right.locate } };
  });
}

/** @returns the path of the smallest part that can be left out: a value, an entry, a rule, a concern */
function unitOf(path: Path): Path {
  const [section] = path;
  if (section === 'primitives' || section === 'patterns') return path.slice(0, 4);
  // The last wrong value of an `assign` leaves an item without values, which still maps.
  if (section === 'assign' && path[2] === 'to') return path.slice(0, 4);
  return path.slice(0, 2);
}

/**
 * @param files the files of the policy
 * @param wrong the parts with errors
 * @returns whether every part that maps primitives could be read, so that an unmapped primitive is certain
 */
export function mapsAreComplete(files: readonly CheckedFile[], wrong: readonly PolicyPart[]): boolean {
  const removed = files.flatMap((file) => [...file.removed].map((path) => path.split('/')[0]));
  const left = wrong.filter(({ path }) => unitOf(path).length < 4).map(({ path }) => path[0]);
  return ![...removed, ...left].some((section) => /^(?:primitives|patterns|assign|)$/.test(String(section)));
}
