import { readFileSync } from 'node:fs';
import type { HostKind } from './hosts.js';
import type { SetUp } from './set-ups.js';

/** Which checks fail where, and the row of "What is lost" in docs/reference/wire.md that says so. */
interface Loss {
  readonly row: string;
  readonly checks: readonly string[];
  readonly where: (host: HostKind, setUp: SetUp) => boolean;
}

/** Whether a host gets its legacy server itself, or translated. A dual server at a URL is spoken to in 2026-07-28. */
const isLegacyServer = (host: HostKind, server: SetUp['server']): boolean =>
  server.startsWith('legacy') || (host === 'legacy' && server === 'both stdio');

const LOSSES: readonly Loss[] = [
  {
    row: '| questions of a legacy server for a legacy host |',
    checks: ['asks'],
    where: (host, { server, isolation }) =>
      host === 'legacy' && isolation !== 'per-session' && isLegacyServer(host, server),
  },
  {
    row: '| log messages of a legacy server for a legacy host |',
    checks: ['logs'],
    where: (host, { server, isolation }) =>
      host === 'legacy' && isolation !== 'per-session' && isLegacyServer(host, server),
  },
  {
    row: '| what a legacy server sends outside of its answers',
    checks: ['announces changes'],
    where: (host, { server, isolation }) => isolation === 'per-request' && isLegacyServer(host, server),
  },
  {
    row: '| what a legacy server sends outside of its answers',
    checks: ['asks'],
    where: (host, { server, isolation }) =>
      isolation === 'per-request' && host !== 'legacy' && server === 'legacy URL',
  },
  {
    // Each call has a process of its own, so the counter of another one cannot tell.
    row: '| what a legacy server keeps in its process',
    checks: ['cancels'],
    where: (host, { server, isolation }) =>
      isolation === 'per-request' && server.endsWith('stdio') && isLegacyServer(host, server),
  },
];

/** @returns the checks that failed and are not named as lost, and those that are named and did not fail */
export function unexpected(host: HostKind, setUp: SetUp, failed: readonly string[]): readonly string[] {
  const lost = new Set(LOSSES.flatMap((loss) => (loss.where(host, setUp) ? loss.checks : [])));
  const names = failed.map((each) => each.split(':', 1)[0] ?? '');
  const more = failed.filter((_each, index) => !lost.has(names[index] ?? ''));
  return [...more, ...[...lost].filter((each) => !names.includes(each)).map((each) => `${each} is not lost`)];
}

/** @returns the rows that the page lacks */
export function missingRows(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8');
  return LOSSES.map(({ row }) => row).filter((row) => !text.includes(row));
}
