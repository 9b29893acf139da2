import { isObject, membersOf, readOwn } from '../../engine/expression/evaluate.js';
import { primitivesIn } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { misfitOf } from '../../wire/definition.js';
import { type Problem, problem } from '../language/problem.js';
import type { SeveralCatalog } from './servers/own-catalog.js';

/** Of more entries, only the number is told. */
const MAX_NAMES = 10;

/** What hosts put before the names of tools: the longest that is known, for the name that `adopt` and `hosts` give a server. */
const PREFIX = 'mcp__concerns__';
/** What APIs of models accept as the name of a tool. */
const NAME = /^[\w-]{1,64}$/;
const UNIONS = ['anyOf', 'oneOf', 'allOf'];

interface Listed {
  readonly kind: Kind;
  readonly name: string;
  readonly primitive: object;
}

/**
 * Finds the definitions of a catalog that clients or hosts refuse. Most refuse the whole list because of one of them, so what no
 * host is shown is left out.
 *
 * @param catalog what the server lists
 * @param isHidden whether no configuration shows a primitive
 * @returns the problems, each with the names of all definitions that it is about
 * @example
 * findRefused({ tools: [{ name: 'a.b', inputSchema: { type: 'object' } }] }, () => false); // { warnings: [...], errors: [] }
 */
export function findRefused(
  catalog: SeveralCatalog,
  isHidden: (listed: Listed) => boolean,
): { readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] } {
  // A catalog of facts has no definitions to judge.
  if (catalog.encoding !== undefined) return { errors: [], warnings: [] };
  const shown = primitivesIn(catalog).filter((each) => !isHidden(each));
  const invalid = [...misfits(shown), ...leftOut(catalog)];
  const errors = invalid.length === 0 ? [] : [problem('invalid-definition', { names: listOf(invalid) })];
  const tools = shown.filter(({ kind }) => kind === 'tools');
  const named = (test: (tool: Listed) => boolean) => tools.filter(test).map(({ name }) => name);
  const schemas = (test: (schema: unknown) => boolean) =>
    named(({ primitive }) => test(readOwn(primitive, 'inputSchema')));
  // Behind several servers, such a name gets another one that fits.
  const names = catalog.isOneOfSeveral === true ? [] : named(({ name }) => !NAME.test(PREFIX + name));
  const unions = schemas((schema) => UNIONS.some((each) => readOwn(schema, each) !== undefined));
  const enums = schemas(hasEmptyEnum);
  const warnings = [
    ...(names.length === 0
      ? []
      : [problem('refused-by-hosts.names', { names: listOf(names), prefix: PREFIX })]),
    ...(unions.length === 0 ? [] : [problem('refused-by-hosts.unions', { names: listOf(unions) })]),
    ...(enums.length === 0 ? [] : [problem('refused-by-hosts.enums', { names: listOf(enums) })]),
  ];
  return { errors, warnings };
}

const listOf = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

/** A catalog that a person wrote can have the names alone. Then no tool has a schema, and no resource needs a title. */
function misfits(shown: readonly Listed[]): string[] {
  const hasSchemas = shown.some(({ primitive }) => readOwn(primitive, 'inputSchema') !== undefined);
  return shown.flatMap(({ kind, name, primitive }) => {
    const absent = hasSchemas ? {} : { name, inputSchema: { type: 'object' } };
    const pointer = misfitOf(kind, { ...absent, ...primitive });
    return pointer === undefined ? [] : [`${name} (${pointer === '' ? 'it is not an object' : pointer})`];
  });
}

/** What the endpoint leaves out of the lists of several servers, which say it in this form. */
function leftOut({ leftOut: byServer = {} }: SeveralCatalog): string[] {
  return Object.entries(byServer).flatMap(([slug, entries]) =>
    entries.flatMap((entry) => {
      const [, own, pointer] = /^(.*): (\/.*|its type|not an object)$/s.exec(entry) ?? [];
      return own === undefined ? [] : [`${slug}: ${own} (${pointer})`];
    }),
  );
}

/** Members of a schema that are maps of schemas, and those that are values. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'examples', 'enum']);

function hasEmptyEnum(schema: unknown): boolean {
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const each of next) open.push(each);
      continue;
    }
    if (!isObject(next)) continue;
    const values = readOwn(next, 'enum');
    if (Array.isArray(values) && values.length === 0) return true;
    for (const [name, member] of Object.entries(next)) {
      if (MAPS.has(name)) open.push(Object.values(membersOf(member)));
      else if (!VALUES.has(name)) open.push(member);
    }
  }
  return false;
}
