/** Every code that a finding can have, by the page of `docs/reference/findings` that explains it, with an example and its fix. */
const CODES = {
  file: [
    'file-too-large',
    'bad-yaml',
    'alias',
    'duplicate',
    'include-cycle',
    'include-unreadable',
    'conflicting-settings',
    'lock-missing',
    'bad-ignore',
    'unused-ignore',
  ],
  names: [
    'unknown-key',
    'missing-key',
    'unknown-choice',
    'unknown-version',
    'bad-name',
    'too-many',
    'empty',
    'out-of-range',
    'unquoted',
    'wrong-type',
  ],
  concerns: [
    'reserved-name',
    'empty-range',
    'multiple-not-exact',
    'within-on-range',
    'missing-parent',
    'missing-claim',
    'claim-without-operator',
    'claim-values-on-range',
    'not-obtainable',
    'blank-in-scope',
    'model-not-host',
    'operator-in-preset',
    'several-values',
    'operator-without-default',
    'clamp-on-list',
    'enforce-without-operator',
    'unfiltered-method',
    'long-preferences',
  ],
  primitives: [
    'unknown-concern',
    'unknown-value',
    'pattern-too-long',
    'wildcard-in-name',
    'pattern-without-wildcard',
  ],
  rules: [
    'hide-or-show',
    'rule-too-large',
    'rule-is-data',
    'operand-count',
    'loose-equality',
    'unknown-operator',
    'computed-path',
    'unknown-path',
    'assign-reads-caller',
    'list-expected',
    'order-on-list',
    'number-expected',
    'text-expected',
    'list-compared',
    'text-claim',
    'within-compared',
    'unset-is-true',
    'order-on-unset',
    'hint-default',
    'unverified-show',
  ],
  catalog: [
    'dead-entry',
    'shadowed-entry',
    'unmapped',
    'contradicts-annotations',
    'weaker-hint',
    'never-visible',
    'always-visible',
    'empty-catalog',
    'unlisted-name',
    'rule-never-fires',
    'rule-always-fires',
    'not-analyzed',
    'names-hidden',
    'catalog-without-texts',
    'panel-name-taken',
    'unmatched-claim',
    'several-claims',
    'ui-hidden',
  ],
  servers: [
    'nested-servers',
    'unknown-server',
    'scale-mismatch',
    'map-order',
    'conflicting-policies',
    'policy-setting',
  ],
  tests: ['test-input-unreadable', 'operator-preference', 'unknown-primitive', 'unread-claim'],
} as const;
export const FINDING_CODES = Object.values(CODES).flat();
export type FindingCode = (typeof FINDING_CODES)[number];

/** The codes that only a check against a catalog reports. */
export const CATALOG_CODES: ReadonlySet<string> = new Set(CODES.catalog);

/**
 * @param code the code of a finding
 * @param site the address of the documentation, with a slash at the end
 * @returns the address of the page that explains the finding, with its reason, an example and the fix
 * @example
 * findingPage('bad-yaml', 'https://docs.example/'); // 'https://docs.example/findings/bad-yaml'
 */
export const findingPage = (code: FindingCode, site: string): string => `${site}findings/${code}`;
