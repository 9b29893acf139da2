import { readFileSync } from 'node:fs';
import { CHECKS } from './checks.js';
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

const isFunction = (server: string): boolean => /^function|^default/.test(server);
/** Whether `createHandler` makes a server for each request of the host. */
const isHandler = ({ server, front }: SetUp): boolean => server.startsWith('attached') && front === 'HTTP';

const LOSSES: readonly Loss[] = [
  {
    row: '| questions for a legacy host |',
    checks: ['asks'],
    where: (host, { server, isolation }) =>
      host === 'legacy' && (isFunction(server) || (isolation !== undefined && isLegacyServer(host, server))),
  },
  {
    row: '| log messages for a legacy host |',
    checks: ['logs'],
    where: (host, { server, isolation }) =>
      host === 'legacy' &&
      (/^function, .*(package|URL)$/.test(server) ||
        (isolation !== undefined && isLegacyServer(host, server))),
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
    row: '| everything | hosts that speak only 2026-07-28',
    checks: Object.keys(CHECKS),
    where: (host, { server }) => host === 'modern' && server === 'attached v1',
  },
  {
    row: '| cancellation | in functions',
    checks: ['cancels'],
    where: (_host, { server }) => isFunction(server),
  },
  {
    row: '| changed lists | in functions',
    checks: ['announces changes'],
    where: (_host, setUp) => isFunction(setUp.server) || isHandler(setUp),
  },
  {
    row: '| cancellation and questions | of hosts of 2025-11-25 at `createHandler`',
    checks: ['cancels', 'asks'],
    where: (host, setUp) => isHandler(setUp) && (host === 'legacy' || setUp.server === 'attached v1'),
  },
  {
    row: '| questions of a legacy server (sampling, roots, elicitation) for a modern host |',
    checks: ['asks'],
    where: (host, { server }) => host !== 'legacy' && isFunction(server) && !/v2|both/.test(server),
  },
  {
    // Each call has a process of its own, so the counter of another one cannot tell.
    row: '| what a legacy server keeps in its process',
    checks: ['cancels'],
    where: (host, { server, isolation }) =>
      isolation === 'per-request' && server.endsWith('stdio') && isLegacyServer(host, server),
  },
];

/** @returns the checks that cannot pass */
export const lostChecks = (host: HostKind, setUp: SetUp): ReadonlySet<string> =>
  new Set(LOSSES.flatMap((loss) => (loss.where(host, setUp) ? loss.checks : [])));

/** @returns the checks that failed and are not named as lost, and those that are named and did not fail */
export function unexpected(host: HostKind, setUp: SetUp, failed: readonly string[]): readonly string[] {
  const lost = lostChecks(host, setUp);
  const names = failed.map((each) => each.split(':', 1)[0] ?? '');
  const more = failed.filter((_each, index) => !lost.has(names[index] ?? ''));
  return [...more, ...[...lost].filter((each) => !names.includes(each)).map((each) => `${each} is not lost`)];
}

/** @returns the rows that the page lacks */
export function missingRows(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8');
  return LOSSES.map(({ row }) => row).filter((row) => !text.includes(row));
}
