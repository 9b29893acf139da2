import { nearest } from '../../engine/match/nearest.js';
import { KINDS } from '../../engine/policy.js';

/** What a dotted path of a rule holds, as far as that is known before anybody asks. */
export type PathType =
  | { readonly type: 'text'; readonly values?: readonly string[] }
  | { readonly type: 'number' }
  | { readonly type: 'list'; readonly values?: readonly string[] }
  | { readonly type: 'anything' };

/** What is known of a declared concern. */
export interface PathConcern {
  readonly values: readonly string[] | { readonly min: number; readonly max: number };
  readonly multiple?: boolean | undefined;
}

const PRIMITIVE: ReadonlyMap<string, PathType> = new Map([
  ['kind', { type: 'text', values: KINDS }],
  ['name', { type: 'text' }],
  ['title', { type: 'text' }],
  ['uri', { type: 'text' }],
  ['mimeType', { type: 'text' }],
  ['tags', { type: 'list' }],
]);

/** MCP's defaults of tool annotations: what an absent hint means. */
export const HINT_DEFAULTS: ReadonlyMap<string, boolean> = new Map([
  ['primitive.annotations.readOnlyHint', false],
  ['primitive.annotations.destructiveHint', true],
  ['primitive.annotations.idempotentHint', false],
  ['primitive.annotations.openWorldHint', true],
]);

/**
 * @param path a dotted path of a rule
 * @param concerns the declared concerns by name
 * @returns what it holds; where nothing declares it, a sentence that says so
 * @example
 * typeOfPath('concerns.securty', concerns); // 'concerns.securty is declared by nothing; did you mean ...'
 */
export function typeOfPath(path: string, concerns: ReadonlyMap<string, PathConcern>): PathType | string {
  const [root, name = '', ...rest] = path.split('.');
  if (root === 'concerns') {
    const concern = rest.length === 0 ? concerns.get(name) : undefined;
    return concern === undefined
      ? undeclared(
          path,
          [...concerns.keys()].map((each) => `concerns.${each}`),
        )
      : typeOfConcern(concern);
  }
  if (root === 'primitive') {
    if (name === 'annotations' && rest.length === 1) return { type: 'anything' };
    const known = rest.length === 0 ? PRIMITIVE.get(name) : undefined;
    const names = [...PRIMITIVE.keys()].map((each) => `primitive.${each}`);
    return known ?? undeclared(path, [...names, ...HINT_DEFAULTS.keys()]);
  }
  if (root === 'claims' && name !== '') return { type: 'anything' };
  if (root === 'client' && name === 'capabilities') return { type: 'anything' };
  return undeclared(path, ['concerns', 'primitive', 'claims', 'client.capabilities']);
}

function typeOfConcern({ values, multiple }: PathConcern): PathType {
  if ('min' in values) return { type: 'number' };
  return multiple === true ? { type: 'list', values } : { type: 'text', values };
}

function undeclared(path: string, known: readonly string[]): string {
  const near = nearest(path, known);
  const roots = 'a rule reads concerns.<name>, primitive.<field>, claims.<name> and client.capabilities';
  return `Nothing declares "${path}"; ${near === undefined ? `${roots}.` : `did you mean "${near}"?`}`;
}

/** @returns the path that `{var: path}` reads */
export function pathRead(logic: unknown): string | undefined {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic) || !Object.hasOwn(logic, 'var'))
    return undefined;
  const { var: given } = logic as { var: unknown };
  const path: unknown = Array.isArray(given) ? given[0] : given;
  return typeof path === 'string' && path !== '' ? path : undefined;
}
