import type { Path } from '../language/read-yaml.js';
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
    const paths = wrong.filter((each) => each.file === file).map(({ path }) => unitOf(path));
    const document = structuredClone(file.document);
    // The items of a list are left out all at once, so that their indexes stay valid.
    const items = new Map<string, Set<number>>();
    for (const path of paths) {
      const [section = '', index] = path;
      const isItem = typeof index === 'number' && path.length === 2;
      if (isItem) items.set(String(section), (items.get(String(section)) ?? new Set()).add(index));
      else remove(document, path);
    }
    const keep = <T>(section: string, list: readonly T[] | undefined) =>
      list?.filter((_item, index) => items.get(section)?.has(index) !== true);
    const { rules, assign } = document;
    const shortened = {
      ...document,
      ...(rules === undefined ? {} : { rules: keep('rules', rules) ?? [] }),
      ...(assign === undefined ? {} : { assign: keep('assign', assign) ?? [] }),
    };
    // Items after a removed one move up, but their places in the file stay the same.
    const original = (path: Path): Path => {
      const [section, index, ...rest] = path;
      const gone = items.get(String(section));
      if (gone === undefined || typeof index !== 'number') return path;
      const left = [...(file.document[section === 'rules' ? 'rules' : 'assign'] ?? []).keys()];
      return [section ?? '', left.filter((each) => !gone.has(each))[index] ?? index, ...rest];
    };
    const locate: CheckedFile['locate'] = (path, part) => file.locate(original(path), part);
    const source = { ...file.source, locate };
    return { ...file, document: shortened, locate, source };
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
  const isMap = (section: unknown) =>
    section === 'primitives' || section === 'patterns' || section === 'assign';
  const removed = files.flatMap((file) => [...file.removed].map((path) => path.split('/')[0]));
  const left = wrong.filter(({ path }) => unitOf(path).length < 4).map(({ path }) => path[0]);
  return ![...removed, ...left].some((section) => section === '' || isMap(section));
}

function remove(document: object, path: Path): void {
  let at: unknown = document;
  for (const step of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return;
    at = Reflect.get(at, step);
  }
  const last = path.at(-1);
  if (typeof at === 'object' && at !== null && last !== undefined) Reflect.deleteProperty(at, last);
}
