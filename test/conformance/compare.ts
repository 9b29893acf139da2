import type { Check, Report } from './suite.js';

/** A check whose status differs between two reports, or that only one report has. */
export interface Difference {
  readonly scenario: string;
  readonly check: string;
  readonly without: string;
  readonly with: string;
}

/** Returns every check whose status differs between two reports, in the order of the scenarios. */
export function compare(without: Report, gated: Report): Difference[] {
  const scenarios = new Set([...without.keys(), ...gated.keys()]);
  return [...scenarios].flatMap((scenario) => {
    const plain = numbered(without.get(scenario) ?? []);
    const other = numbered(gated.get(scenario) ?? []);
    return [...new Set([...plain.keys(), ...other.keys()])]
      .filter((key) => plain.get(key)?.status !== other.get(key)?.status)
      .map((check) => ({ scenario, check, without: tell(plain.get(check)), with: tell(other.get(check)) }));
  });
}

/** Returns the number of checks per status: `84 SUCCESS, 1 SKIPPED`. */
export function count(report: Report): string {
  const counts = new Map<string, number>();
  for (const { status } of [...report.values()].flat()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, times]) => `${times} ${status}`).join(', ');
}

/** Returns one line for each check that did not pass. */
export function notPassed(report: Report): string[] {
  return [...report].flatMap(([scenario, checks]) =>
    checks
      .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
      .map((check) => `${scenario}, ${check.id}: ${tell(check)}`),
  );
}

/** Numbers the checks, because a scenario may contain the same check several times. */
function numbered(checks: readonly Check[]): Map<string, Check> {
  const seen = new Map<string, number>();
  return new Map(
    checks.map((check) => {
      const key = `${check.id} ${check.name}`;
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      return [times === 1 ? key : `${key} (${times})`, check];
    }),
  );
}

function tell(check: Check | undefined): string {
  if (check === undefined) return 'absent';
  return check.errorMessage === undefined ? check.status : `${check.status} (${check.errorMessage})`;
}
