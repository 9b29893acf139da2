import { CATALOG_FINDINGS, FINDINGS } from './generated/findings.js';

export type FindingCode = keyof typeof FINDINGS | keyof typeof CATALOG_FINDINGS;
export const FINDING_CODES = Object.keys({ ...FINDINGS, ...CATALOG_FINDINGS }) as FindingCode[];

/** The codes that only a check against a catalog reports. */
export const CATALOG_CODES: ReadonlySet<string> = new Set(Object.keys(CATALOG_FINDINGS));

/**
 * @param code the code of a finding
 * @param site the address of the documentation, with a slash at the end
 * @returns the address of the page that explains the finding, with its reason, an example and the fix
 * @example
 * findingPage('bad-yaml', 'https://docs.example/'); // 'https://docs.example/findings/bad-yaml'
 */
export const findingPage = (code: FindingCode, site: string): string => `${site}findings/${code}`;
