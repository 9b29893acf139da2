import { pathsOf } from '../../engine/expression/expression.js';
import type { Policy } from '../../engine/policy.js';
import type { Finding } from '../language/findings.js';
import { findingAt, problem } from '../language/problem.js';
import { conditionsIn } from './check-rule-names.js';
import type { CheckedFile } from './check-values.js';

/** What a catalog of facts does not have of a definition: its texts and its schemas. */
const isLeftOut = (path: string): boolean => /^primitive\.(description|parameters|required)$/.test(path);

/**
 * @param policy the policy, prepared
 * @returns the first path that a rule or an `assign` reads and a catalog of facts does not have; `undefined` if there is none
 * @example
 * textRead(policy); // 'primitive.description'
 */
export const textRead = ({ rules, assigns }: Policy): string | undefined =>
  [...rules, ...assigns].flatMap(({ paths }) => paths).find(isLeftOut);

/** Why such a policy cannot be compared with a catalog of facts, and what to do. */
export const needsTexts = (path: string): string => problem('catalog-without-texts', { path }).message;

/**
 * Finds conditions that read what a catalog of facts does not have: they would be judged as if it were empty.
 *
 * @param files the files of the policy
 * @returns an error for each condition
 * @example
 * checkTexts(files)[0]?.code; // 'catalog-without-texts'
 */
export const checkTexts = (files: readonly CheckedFile[]): Finding[] =>
  files.flatMap((file) =>
    conditionsIn(file).flatMap(({ path: at, expression }): Finding[] => {
      const path = pathsOf(expression).find(isLeftOut);
      if (path === undefined) return [];
      return [findingAt(file.source.locate(at, 'key'), 'error', problem('catalog-without-texts', { path }))];
    }),
  );
