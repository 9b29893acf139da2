import { useEffect, useState } from 'preact/hooks';
import { parsePolicy } from '../policy/compile/parse.js';
import type { Finding } from '../policy/language/findings.js';
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
export function useFindings(
  { files, catalog }: PlaygroundDocument,
  ofText: readonly Finding[],
): { readonly findings: readonly Finding[]; readonly isChecking: boolean } {
  const [checked, setChecked] = useState<{
    readonly of: readonly Finding[];
    readonly all: readonly Finding[];
  }>();
  useEffect(() => {
    const timer = setTimeout(
      () => setChecked({ of: ofText, all: parsePolicy(textsOf(files), catalog).findings }),
      PAUSE,
    );
    return () => clearTimeout(timer);
  }, [files, catalog, ofText]);
  return checked?.of === ofText
    ? { findings: checked.all, isChecking: false }
    : { findings: ofText, isChecking: true };
}
