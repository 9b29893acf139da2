import { resolveConfiguration } from '../../../engine/configuration.js';
import { replaceParts } from '../../../engine/expression/closed.js';
import {
  type Expression,
  isTextOperator,
  pathsOf,
  readsClientName,
} from '../../../engine/expression/expression.js';
import { parseExpression } from '../../../engine/expression/parse.js';
import { onlyNarrows } from '../../../engine/narrows.js';
import type { Policy } from '../../../engine/policy.js';
import type { Finding } from '../../language/findings.js';
import { findingAt, problem } from '../../language/problem.js';
import type { Path } from '../../language/read-yaml.js';
import type { CheckedFile, FileCheck } from '../check-values.js';
import { isScalar } from '../rule-presence.js';

/** Any client can give itself any name. Where calls are checked, a name must therefore not show anything. */
const severityOf = (enforcement: string | undefined) => (enforcement === 'enforce' ? 'error' : 'warning');

/**
 * Reports each part of a rule that can show more to a client because of its name.
 *
 * @param check the file that has the rule
 * @param path the position of the condition
 * @param rule the rule
 */
export function checkClientNames(
  { settings, error, warn }: FileCheck,
  path: Path,
  { id, hide, when }: { readonly id: string; readonly hide?: unknown; readonly when: unknown },
): void {
  const report = severityOf(settings.enforcement) === 'error' ? error : warn;
  replaceParts(parseExpression(when).expression, (part, isNegated) => {
    if (readsName(part) && (hide === undefined || isNegated || !recognizes(part))) {
      report([...path, ...part.place], problem('unverified-show.rule', { id }));
    }
    return part;
  });
}

/** Whether a part is false for a client without the name, title or version that the part reads. */
function recognizes(part: Expression): boolean {
  if (part.type !== 'operation') return isRead(part);
  const { operator, operands } = part;
  if (isTextOperator(operator)) return operands.every((operand) => isRead(operand) || !readsName(operand));
  // Two values that are not set are equal, so the other operand must be a constant.
  return (operator === '===' || operator === 'in') && operands.some(isRead) && operands.some(isConstant);
}

const isRead = (part: Expression): boolean => part.type === 'read' && part.fallback === undefined;

const isConstant = (part: Expression): boolean =>
  (part.type === 'list' ? part.items : [part]).every(isScalar);

const readsName = (part: Expression): boolean => pathsOf(part).some(readsClientName);

/** Checks that the presets of `defaults-for` exist. */
export function checkClientPresets(checks: readonly FileCheck[]): void {
  const files = checks.flatMap(({ file, parts }) => [file, ...parts.flatMap((part) => part.files)]);
  const known = [...new Set(files.flatMap(({ document }) => Object.keys(document.presets ?? {})))];
  const isRemoved = (name: string) =>
    checks.some(
      ({ file, incomplete }) =>
        incomplete || file.removed.has('presets') || file.removed.has(`presets/${name}`),
    );
  for (const { file, error } of checks) {
    file.document['defaults-for']?.forEach(({ preset }, index) => {
      if (known.includes(preset) || isRemoved(preset)) return;
      const names = { preset, known: known.join(', ') || 'it has none' };
      const found = problem('unknown-value.preset', names, { scalar: preset, known });
      error(['defaults-for', index, 'preset'], found);
    });
  }
}

/**
 * Finds presets of `defaults-for` that can show more than the defaults of the concerns do.
 *
 * @param files the files of the policy
 * @param policy the policy that was compiled from these files
 * @returns a finding for each
 * @example
 * checkClientDefaults(files, policy)[0]?.code; // 'unverified-show'
 */
export function checkClientDefaults(files: readonly CheckedFile[], policy: Policy): Finding[] {
  // The default of a concern applies to hosts that state another preference, so it is compared wherever there is one.
  const defaults = policy.settings.defaults === 'never' ? 'never' : 'always';
  // That a model may change a concern says nothing about clients.
  const concerns = policy.concerns.map(({ model: _model, ...concern }) => concern);
  const compared: Policy = { ...policy, concerns, settings: { ...policy.settings, defaults } };
  const before = resolveConfiguration(compared, []);
  return files.flatMap(({ document, source }) =>
    (document['defaults-for'] ?? []).flatMap(({ preset }, index): Finding[] => {
      const after = resolveConfiguration(compared, [{ from: 'client', concerns: { preset } }]);
      if (onlyNarrows(before, after)) return [];
      const place = source.locate(['defaults-for', index, 'preset']);
      const severity = severityOf(policy.settings.enforcement);
      return [findingAt(place, severity, problem('unverified-show.preset', { preset }))];
    }),
  );
}
