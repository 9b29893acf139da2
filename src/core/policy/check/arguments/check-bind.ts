import { type Expression, pathsOf } from '../../../engine/expression/expression.js';
import { parseExpression } from '../../../engine/expression/parse.js';
import { parseUse } from '../../../engine/uses/use-name.js';
import { problem } from '../../language/problem.js';
import type { Path } from '../../language/read-yaml.js';
import { toYamlScalar } from '../../language/yaml-scalars.js';
import type { CheckedFile, FileCheck } from '../check-values.js';
import { typeOfPath } from '../rule-paths.js';
import { describeProblem } from '../rule-problem.js';

/** What `bind` can read: not the primitive, and not the call itself. */
const ROOTS = /^(?:claims|caller|concerns|client)\./;

/**
 * Checks what a policy binds: that calls are checked, so that somebody writes the value into them, and that each value is a constant
 * or can be read.
 *
 * @param checks the files of the policy
 */
export function checkBinds(checks: readonly FileCheck[]): void {
  for (const check of checks) {
    const { file, error, parts, settings } = check;
    const files: readonly CheckedFile[] = [file, ...parts.flatMap((part) => part.files)];
    const isBound = files.some(({ document }) => document.bind !== undefined);
    const isChecked = settings.enforcement === 'enforce' || settings.enforcement === 'shadow';
    if (isBound && !isChecked)
      error(
        file.document.bind === undefined ? ['settings'] : ['bind'],
        problem('bind-needs-enforce', {}),
        'key',
      );
    const names = new Map<string, Path>();
    for (const [name, from] of Object.entries(file.document.bind ?? {})) {
      const path = ['bind', name];
      names.set(name, path);
      if (parseUse(name)?.value !== undefined || name.includes('='))
        error(path, problem('bind-name', { name }), 'key');
      checkValue(check, path, from);
    }
  }
}

function checkValue({ declared, error }: FileCheck, path: Path, from: unknown): void {
  const { expression, problems } = parseExpression(from);
  for (const each of problems) error([...path, ...each.place], describeProblem(each));
  if (expression.type === 'literal' && typeof expression.value === 'string' && ROOTS.test(expression.value)) {
    const text = expression.value;
    error(path, problem('bind-text', { text }, { scalar: text, yaml: `{ var: ${toYamlScalar(text)} }` }));
  }
  for (const read of pathsOf(expression)) {
    if (ROOTS.test(read) && typeOfPath(read, declared) !== undefined) continue;
    error([...path, ...placeOf(expression, read)], problem('bind-path', { path: read }));
  }
}

/** The place of the part that reads a path. */
function placeOf(expression: Expression, path: string): Path {
  return expression.type === 'read' && expression.path === path
    ? [...expression.place, 'var']
    : expression.place;
}
