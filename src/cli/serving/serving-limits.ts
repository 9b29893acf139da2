import { UsageError } from '../errors.js';
import { oneOf } from '../options/arguments.js';

/** Who shares a server, and when sessions and servers end. */
export interface ServingLimits {
  readonly isolation: 'shared' | 'per-session' | 'per-request';
  /** Sessions that have a server. */
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly silenceMs: number;
}

/** The options of `serve` that set limits. */
export const LIMIT_OPTIONS = {
  isolation: { type: 'string' },
  sessions: { type: 'string' },
  idle: { type: 'string' },
  silence: { type: 'string' },
} as const;

type LimitValues = { readonly [name in keyof typeof LIMIT_OPTIONS]?: string | undefined };

/**
 * Reads the limits from the arguments.
 *
 * @param values the values of `--isolation`, `--sessions`, `--idle` and `--silence`
 * @returns the limits
 * @throws {UsageError} if a value is not valid
 * @example
 * readLimits({ idle: '5' }).idleMs; // 300000
 */
export function readLimits({ isolation, sessions, idle, silence }: LimitValues): ServingLimits {
  return {
    isolation: oneOf('serve', '--isolation', isolation ?? 'per-session', [
      'shared',
      'per-session',
      'per-request',
    ]),
    maxSessions: readCount('--sessions', sessions ?? '32', 1000),
    idleMs: readCount('--idle', idle ?? '30', 10_000) * 60_000,
    silenceMs: readCount('--silence', silence ?? '120', 86_400) * 1000,
  };
}

function readCount(option: string, text: string, max: number): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  throw new UsageError('serve', `${option} takes a number from 1 to ${max}, not "${text}"`);
}
