import { FINDINGS } from './generated/findings.js';

type Page = keyof typeof FINDINGS;
export type FindingCode = { [P in Page]: keyof (typeof FINDINGS)[P] }[Page];

/** The codes, in the order of the pages that explain them. */
export const FINDING_CODES = Object.values(FINDINGS).flatMap((page) => Object.keys(page)) as FindingCode[];

/** The codes that only a check against a catalog reports. */
export const CATALOG_CODES: ReadonlySet<string> = new Set(Object.keys(FINDINGS.catalog));

/**
 * @param code the code of a finding
 * @param site the address of the documentation, with a slash at the end
 * @returns the address of the page that explains the finding, with its reason, an example and the fix
 * @example
 * findingPage('bad-yaml', 'https://docs.example/'); // 'https://docs.example/findings/bad-yaml'
 */
export const findingPage = (code: FindingCode, site: string): string => `${site}findings/${code}`;
