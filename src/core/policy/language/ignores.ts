import { didYouMean } from '../../engine/match/did-you-mean.js';
import { FINDING_CODES } from './finding-codes.js';
import type { Finding, Fix } from './findings.js';
import { findingAt, problem } from './problem.js';
import type { Comment, Source } from './read-yaml.js';

/** A warning that a comment silences, and the reason that the comment gives. */
export interface SilencedFinding extends Finding {
  readonly justification: string;
}

const MARK = /^#\s*mcp-concerns-ignore\b/;
const FORM = /^#\s*mcp-concerns-ignore\s+([a-z-]+)\s*:\s*(\S.*)/;

/**
 * Removes the warnings that a comment silences: on the line of the finding, or on the lines directly above it. An error
 * cannot be silenced, because a policy with errors has no meaning.
 *
 * @param sources the files that the findings are about
 * @param findings all findings of these files
 * @param wasChecked whether this run looked for findings with a code; a comment about any other code may still be of use
 * @returns the other findings, and one for each comment that is not valid or that silences nothing; the silenced findings
 * @example
 * applyIgnores([source], findings, () => true).findings;
 */
export function applyIgnores(
  sources: readonly Source[],
  findings: readonly Finding[],
  wasChecked: (code: string) => boolean,
): { readonly findings: readonly Finding[]; readonly silenced: readonly SilencedFinding[] } {
  const added: Finding[] = [];
  const silenced = new Map<Finding, SilencedFinding>();
  for (const source of sources) {
    const own = findings.filter(({ file }) => file === source.file);
    for (const { code, comment, reason } of ignoresIn(source, added)) {
      const lines = [comment.place.line, lineBelow(source, comment)];
      const matching = own.filter((finding) => finding.code === code && lines.includes(finding.line));
      const warnings = matching.filter(({ severity }) => severity === 'warning');
      for (const finding of warnings) {
        if (!silenced.has(finding)) silenced.set(finding, { ...finding, justification: reason });
      }
      if (warnings.length > 0 || !wasChecked(code)) continue;
      const found = problem(`unused-ignore.${matching.length === 0 ? 'nothing' : 'error'}`, { code });
      added.push({ ...findingAt(comment.place, 'warning', found), ...withoutComment(source, comment) });
    }
  }
  return {
    findings: [...findings.filter((finding) => !silenced.has(finding)), ...added],
    silenced: [...silenced.values()],
  };
}

/** The fix that removes a comment, with its line if nothing else is on it. */
function withoutComment({ text }: Source, { place, alone }: Comment): { readonly fix: Fix } {
  const { line, column, length } = place;
  if (alone) return { fix: { line, column: 1, endLine: line + 1, endColumn: 1, text: '' } };
  const lines = text.split('\n');
  const before = (lines[line - 1] ?? '').slice(0, column - 1).trimEnd();
  return { fix: { line, column: before.length + 1, endLine: line, endColumn: column + length, text: '' } };
}

/** @returns the comments that silence a finding: `# mcp-concerns-ignore CODE: reason` */
function ignoresIn({ comments }: Source, findings: Finding[]) {
  return comments.flatMap((comment) => {
    if (!MARK.test(comment.text)) return [];
    const [, code, reason = ''] = FORM.exec(comment.text) ?? [];
    const known: readonly string[] = FINDING_CODES;
    if (code !== undefined && known.includes(code)) return [{ comment, code, reason: reason.trim() }];
    const found =
      code === undefined
        ? problem('bad-ignore.form', {})
        : problem('bad-ignore.code', { code, hint: didYouMean(code, known) });
    findings.push(findingAt(comment.place, 'warning', found));
    return [];
  });
}

/** The line that a comment is about: its own or, if nothing else is on it, the first below it that is not a comment. */
function lineBelow({ comments }: Source, { place, alone }: Comment): number {
  const others = new Set(comments.filter((each) => each.alone).map((each) => each.place.line));
  let { line } = place;
  while (alone && others.has(line)) line++;
  return line;
}
