import type { Finding } from '../../core/policy/language/findings.js';

/** Why a finding of a new policy is right, by its code. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['names-hidden', "the text is the server's, which no policy can change"],
  ['empty-catalog', 'not every topic has tools with every effect'],
  ['contradicts-annotations', 'name and description both promise more harm than the hint'],
]);

/**
 * Silences the findings of a new policy that no change of it can fix, each above its line.
 *
 * @param files the texts of the policy's files, by path
 * @param findings what `check` finds in them
 * @returns the texts with the comments; the same texts if there is no such finding
 * @example
 * silenceServerTexts(new Map([['policy.yaml', text]]), findings);
 */
export function silenceServerTexts(
  files: ReadonlyMap<string, string>,
  findings: readonly Finding[],
): ReadonlyMap<string, string> {
  const known = findings.filter(({ code }) => REASONS.has(code));
  if (known.length === 0) return files;
  return new Map(
    [...files].map(([path, text]) => {
      const own = known.filter(({ file }) => file === path);
      const lines = text.split('\n').flatMap((line, index) => {
        const [indent = ''] = /^ */.exec(line) ?? [];
        const codes = new Set(own.filter((each) => each.line === index + 1).map(({ code }) => code));
        return [
          ...[...codes].map((code) => `${indent}# mcp-concerns-ignore ${code}: ${REASONS.get(code)}`),
          line,
        ];
      });
      return [path, lines.join('\n')];
    }),
  );
}
