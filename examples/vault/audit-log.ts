import { LIMITS } from './limits.js';

export const LOG_LEVELS = ['info', 'warning', 'alert'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line of the log; `source` tells what the vault recorded itself from what clients wrote. */
export interface LogEntry {
  readonly sequence: number;
  readonly at: string;
  readonly source: 'vault' | 'client';
  readonly level: LogLevel;
  readonly message: string;
}

/** The newest entries, and what the reader should know about those that are not among them. */
export interface LogPage {
  readonly entries: LogEntry[];
  readonly total: number;
  /** Entries that made room for newer ones, or that were cleared. */
  readonly forgotten: number;
}

/** A log of bounded length: the oldest entries make room for new ones. */
export class AuditLog {
  #entries: LogEntry[] = [];
  #sequence = 0;

  /** Records what the vault did. */
  record(message: string, level: LogLevel = 'info'): LogEntry {
    return this.append('vault', level, message);
  }

  append(source: LogEntry['source'], level: LogLevel, message: string): LogEntry {
    this.#sequence += 1;
    const entry = { sequence: this.#sequence, at: new Date().toISOString(), source, level, message };
    this.#entries.push(entry);
    if (this.#entries.length > LIMITS.logEntries) this.#entries.shift();
    return entry;
  }

  /** The newest `limit` entries after `after` of at least `level`, oldest of them first. */
  read({ limit, after = 0, level = 'info' }: { limit: number; after?: number; level?: LogLevel }): LogPage {
    const rank = LOG_LEVELS.indexOf(level);
    const fitting = this.#entries.filter(
      (entry) => entry.sequence > after && LOG_LEVELS.indexOf(entry.level) >= rank,
    );
    return {
      entries: fitting.slice(-limit),
      total: this.#entries.length,
      forgotten: this.#sequence - this.#entries.length,
    };
  }

  /** Sequence numbers go on, so that a cleared log can be told from a new one. */
  clear(): number {
    const cleared = this.#entries.length;
    this.#entries = [];
    return cleared;
  }
}
