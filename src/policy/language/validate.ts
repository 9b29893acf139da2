import type { Finding } from './findings.js';
import { validate } from './generated/policy-validator.js';
import type { Path, Source } from './read-yaml.js';
import { type PolicyDocument, policySchema } from './schema.js';
import { fitSchema, type Misfit, type Validator } from './schema-errors.js';
import { describeMisfit, type Language } from './schema-messages.js';

/** What fits the schema, and what does not. */
export interface Shape {
  /** The document without its misshapen parts, so that the rest can be checked in the same run. */
  readonly document: PolicyDocument;
  /** Paths that were taken out, as strings; what refers to them is not wrong. */
  readonly removed: ReadonlySet<string>;
  /** As `Source.locate`, for paths of `document`, whose lists may have lost items. */
  locate: Source['locate'];
  readonly findings: readonly Finding[];
}

const POLICY: Language = {
  schema: policySchema,
  nameOf: (path) => (path.length === 0 ? 'a policy' : undefined),
};

/**
 * Checks a file against the schema of the language.
 *
 * @param source a file that could be read
 * @returns the parts that fit, and a finding for each that does not
 * @example
 * checkShape(readPolicyText('version: 1', 'policy.yaml')).findings; // []
 */
export function checkShape(source: Source): Shape {
  // A concern without values could not be checked; a policy without its version can.
  const { findings, data, ...rest } = checkAgainst(source, POLICY, validate, (path) => path.length === 0);
  return { document: (data ?? { version: 1 }) as PolicyDocument, findings, ...rest };
}

/**
 * Checks a file against a schema.
 *
 * @param source a file that could be read
 * @param language the schema, and what its parts are called
 * @param validator the schema's validator
 * @param stays whether a part may stay that only lacks something
 * @returns the parts that fit, and a finding for each that does not
 */
export function checkAgainst(
  source: Source,
  language: Language,
  validator: Validator,
  stays: (path: Path) => boolean,
) {
  const findings: Finding[] = [];
  const report = (misfit: Misfit, path: Path, data: unknown): void => {
    const { key, ...words } = describeMisfit(misfit, path, data, language);
    const onKey =
      key !== undefined || misfit.keyword === 'additionalProperties' || misfit.propertyName !== undefined;
    const place = source.locate(key === undefined ? path : [...path, key], onKey ? 'key' : 'value');
    findings.push({ ...place, severity: 'error', ...words });
  };
  return { ...fitSchema(source, validator, report, stays), findings };
}
