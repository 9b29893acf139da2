import { type Expression, type Literal, operandsOf } from '../../engine/expression/expression.js';
import { parseExpression } from '../../engine/expression/parse.js';
import { identityOf } from '../../engine/mapping.js';
import { compileUriTemplate } from '../../engine/match/uri-template.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { KIND_NAMES } from '../language/kind-names.js';
import { problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import type { CatalogCheck } from './catalog-places.js';
import { type CheckedFile, reportsIn } from './check-values.js';
import { isUnlisted, mayExist } from './servers/own-catalog.js';

/**
 * Finds names and URIs in conditions that no primitive of the server has. The comparison is then always false: often the
 * primitive was renamed.
 */
export function checkRuleNames({ files, catalog, findings }: CatalogCheck): void {
  const templates = (catalog.resourceTemplates ?? []).map((template) =>
    compileUriTemplate(identityOf('resourceTemplates', template)),
  );
  for (const { file, path, kinds, expression } of files.flatMap(conditionsIn)) {
    const listed = kinds.flatMap((kind) => catalog[kind] ?? []);
    const names = new Set(listed.map((primitive) => primitive.name));
    const uris = new Set(listed.map((primitive) => primitive.uri ?? primitive.uriTemplate));
    const [only, ...others] = kinds;
    const noun = only !== undefined && others.length === 0 ? KIND_NAMES[only][0] : 'primitive';
    for (const { read, literal } of comparisons(expression, IDENTITIES)) {
      const name = String(literal.value);
      const known = read === 'primitive.name' ? names : uris;
      // A URI that the server does not list can belong to one of its templates.
      if (known.has(name) || (known === uris && templates.some(({ matches }) => matches(name)))) continue;
      if (kinds.some((kind) => isUnlisted(catalog, kind))) continue;
      if (mayExist(catalog, read === 'primitive.name' ? 'tools' : 'resources', name)) continue;
      const near = [...known].filter((each) => typeof each === 'string');
      const found = problem('unlisted-name', { noun, name }, { scalar: name, known: near });
      reportsIn(file, findings).warn([...path, ...literal.place], found, 'key');
    }
  }
}

/** A condition of a file. */
export interface CheckedCondition {
  readonly file: CheckedFile;
  readonly path: Path;
  /** The kinds of the primitives that it is about. */
  readonly kinds: readonly Kind[];
  readonly expression: Expression;
}

/** @returns the conditions of a file, each with the kinds of the primitives that it is about */
export function conditionsIn(file: CheckedFile): readonly CheckedCondition[] {
  const { rules = [], assign = [] } = file.document;
  const conditions = [
    ...rules.map(({ hide, show, when }, index) => ({
      at: ['rules', index],
      kinds: hide ?? show ?? KINDS,
      when,
    })),
    ...assign.map(({ when }, index) => ({ at: ['assign', index], kinds: KINDS, when })),
  ];
  return conditions.map(({ at, kinds, when }) => {
    return { file, path: [...at, 'when'], kinds, expression: parseExpression(when).expression };
  });
}

interface Comparison {
  readonly read: string;
  readonly literal: Literal;
}

/** @returns the constant texts that a condition compares with what it reads at some paths */
export function comparisons(expression: Expression, paths: ReadonlySet<string>): Comparison[] {
  const below = operandsOf(expression).flatMap((each) => comparisons(each, paths));
  if (expression.type !== 'operation' || !/^(?:[!=]==|in)$/.test(expression.operator)) return below;
  const { operands } = expression;
  const read = operands.find((each) => each.type === 'read' && paths.has(each.path));
  if (read?.type !== 'read') return below;
  const constants = operands.flatMap((each) => (each.type === 'list' ? each.items : [each]));
  const found = constants.flatMap((each): Comparison[] =>
    each.type === 'literal' && typeof each.value === 'string' ? [{ read: read.path, literal: each }] : [],
  );
  return [...below, ...found];
}

const IDENTITIES: ReadonlySet<string> = new Set(['primitive.name', 'primitive.uri']);
