import type { Finding, Fix } from '../findings.js';
import { readPolicyText } from '../read-yaml.js';
import { validatePolicy } from '../validate.js';
import { type Edit, edited, offsetsIn } from './text-edits.js';

/**
 * Applies the fixes of findings to a policy file. A fix that overlaps an earlier one, or that would break the form of the
 * file, such as a name that becomes a duplicate key, is left out.
 *
 * @param text the text of the file
 * @param findings the findings in this file
 * @returns the new text, and how many fixes it has
 * @example
 * const { findings, texts } = readPolicy('policy.yaml');
 * applyFixes(texts.get('policy.yaml') ?? '', findings.filter(({ file }) => file === 'policy.yaml')).text;
 */
export function applyFixes(
  text: string,
  findings: readonly Finding[],
): { readonly text: string; readonly applied: number } {
  const offset = offsetsIn(text);
  const editOf = ({ line, column, endLine, endColumn, text: added }: Fix): Edit => {
    return { from: offset(line, column), to: offset(endLine, endColumn), text: added };
  };
  const edits = separate(findings.flatMap(({ fix }) => (fix === undefined ? [] : [editOf(fix)])));
  const before = errorsIn(text);
  const accepted = accept(edits, [], (each) => {
    const after = errorsIn(edited(text, each));
    // A wrong key that becomes a duplicate is one error less and one more.
    return after.yaml <= before.yaml && after.schema <= before.schema;
  });
  return { text: edited(text, accepted), applied: accepted.length };
}

/** @returns the edits from the top of the file, without those that begin inside an earlier one */
function separate(edits: readonly Edit[]): Edit[] {
  const kept: Edit[] = [];
  for (const edit of edits.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (edit.from >= (kept.at(-1)?.to ?? 0)) kept.push(edit);
  }
  return kept;
}

/** Adds as many edits as fit. Halves that fit are added at once, because each attempt reads the whole file. */
function accept(
  edits: readonly Edit[],
  to: readonly Edit[],
  fits: (edits: readonly Edit[]) => boolean,
): readonly Edit[] {
  if (edits.length === 0 || fits([...to, ...edits])) return [...to, ...edits];
  if (edits.length === 1) return to;
  const middle = Math.ceil(edits.length / 2);
  return accept(edits.slice(middle), accept(edits.slice(0, middle), to, fits), fits);
}

/** The numbers of errors in the form of a policy file: of its YAML, and of its keys and values. */
function errorsIn(text: string): { readonly yaml: number; readonly schema: number } {
  const source = readPolicyText(text, '');
  if (source.data === undefined) return { yaml: Number.POSITIVE_INFINITY, schema: Number.POSITIVE_INFINITY };
  return { yaml: source.findings.length, schema: validatePolicy(source).findings.length };
}
