import { LIMITS } from './limits.js';

export const LOG_LEVELS = ['info', 'warning', 'alert'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One entry of the log. `source` tells whether the vault or a client wrote it. */
export interface LogEntry {
  readonly sequence: number;
  readonly at: string;
  readonly source: 'vault' | 'client';
  readonly level: LogLevel;
  readonly message: string;
}

/** The newest entries, and how many others there are. */
export interface LogPage {
  readonly entries: LogEntry[];
  readonly total: number;
  /** The number of entries that were removed, because the log was full or cleared. */
  readonly forgotten: number;
}

/** A log of limited length. New entries replace the oldest ones. */
export class AuditLog {
  #entries: LogEntry[] = [];
  #sequence = 0;

  /** Adds an entry about an action of the vault. */
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

  /** Returns the newest `limit` entries that follow the entry `after` and have at least this level, oldest first. */
  read({ limit, after = 0, level = 'info' }: { limit: number; after?: number; level?: LogLevel }): LogPage {
    const rank = LOG_LEVELS.indexOf(level);
    const matching = this.#entries.filter(
      (entry) => entry.sequence > after && LOG_LEVELS.indexOf(entry.level) >= rank,
    );
    return {
      entries: matching.slice(-limit),
      total: this.#entries.length,
      forgotten: this.#sequence - this.#entries.length,
    };
  }

  /** Removes all entries. Sequence numbers continue, so a cleared log differs from a new one. */
  clear(): number {
    const cleared = this.#entries.length;
    this.#entries = [];
    return cleared;
  }
}
