import type { Finding } from '../../core/policy/language/findings.js';
import { countOf } from '../page/words.js';
import type { Target } from './editor.js';

/** A list longer than this helps nobody. */
const MAX_LISTED = 50;

/** The findings of all files. Each goes to its place. */
export function Findings({
  findings,
  isChecking,
  several,
  go,
}: {
  readonly findings: readonly Finding[];
  /** Whether more findings may follow. */
  readonly isChecking: boolean;
  /** Whether the policy has several files, so that places need their names. */
  readonly several: boolean;
  go(target: Target): void;
}) {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const counts = [
    ...(errors > 0 ? [countOf(errors, 'error')] : []),
    ...(findings.length > errors ? [countOf(findings.length - errors, 'warning')] : []),
  ];
  return (
    <section class="findings" aria-label="Findings" aria-busy={isChecking}>
      <p class="summary" role="status">
        {counts.length === 0 ? 'No findings' : counts.join(', ')}
      </p>
      <ul>
        {findings.slice(0, MAX_LISTED).map((finding) => {
          const { file, line, column, code, severity, message } = finding;
          return (
            <li key={`${file} ${line} ${column} ${code} ${message}`} class={severity}>
              <button type="button" class="place" onClick={() => go({ file, line, column })}>
                <span class="unseen">{severity} in </span>
                {several ? `${file} ` : ''}
                <span class="unseen">line </span>
                {line}:{column}
              </button>
              <span class="code">{code}</span>
              <span class="message">{message}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
