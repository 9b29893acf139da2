import { useEffect, useState } from 'preact/hooks';
import { parsePolicy } from '../../core/policy/compile/parse.js';
import type { Finding } from '../../core/policy/language/findings.js';
import type { PlaygroundDocument } from './document.js';
import { textsOf } from './program.js';

/** The pause after the last change before the catalog is checked, in milliseconds: the analysis of all configurations takes time. */
const PAUSE = 250;

/**
 * Checks a policy while it is edited. Findings of the text alone are there at once, those of the catalog after a pause.
 *
 * @param document the files and the catalog
 * @param ofText the findings of the text alone
 * @returns the findings to show, and whether those of the catalog are still missing
 */
export function useFindings({ files, catalog }: PlaygroundDocument, ofText: readonly Finding[]) {
  const [[checked, all], setChecked] = useState<readonly (readonly Finding[])[]>([]);
  useEffect(() => {
    const check = () => setChecked([ofText, parsePolicy(textsOf(files), catalog).findings]);
    const timer = setTimeout(check, PAUSE);
    return () => clearTimeout(timer);
  }, [files, catalog, ofText]);
  const isChecking = checked !== ofText;
  return { findings: isChecking || all === undefined ? ofText : all, isChecking };
}
