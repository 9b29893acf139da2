import { pageOf, summaryOf } from './query.js';
import { fitsRecord, messageOfEnd, type TaskChange, type TaskRecord, type TaskRecords } from './record.js';

type StoredTask = TaskRecord & { readonly answered: readonly string[] };

/** How many records are created between two searches for expired ones. */
const SWEEP_EVERY = 1000;

/**
 * Keeps the records of tasks in the memory of this process: for a single long-lived process and for development.
 *
 * @returns the records
 * @example
 * const tasks = createTasks({ definitions, records: createMemoryRecords() });
 */
export function createMemoryRecords(): TaskRecords {
  const tasks = new Map<string, StoredTask>();
  let created = 0;
  const live = ({ expiresAt }: TaskRecord): boolean => expiresAt * 1000 > Date.now();
  const find = (owner: string, id: string): StoredTask | undefined => {
    const kept = tasks.get(id);
    return kept !== undefined && kept.owner === owner && live(kept) ? kept : undefined;
  };
  const sweep = (): void => {
    for (const [id, kept] of tasks) if (!live(kept)) tasks.delete(id);
  };
  const copy = ({ answered: _, ...record }: StoredTask): TaskRecord => structuredClone(record);

  return {
    async create(record) {
      if (++created % SWEEP_EVERY === 0) sweep();
      if (!tasks.has(record.id)) tasks.set(record.id, { ...structuredClone(record), answered: [] });
    },

    async get(owner, id) {
      const kept = find(owner, id);
      return kept === undefined ? undefined : copy(kept);
    },

    async change(owner, id, change) {
      const kept = find(owner, id);
      const next = kept === undefined ? undefined : changed(kept, change);
      if (next === undefined) return undefined;
      tasks.set(id, next);
      return copy(next);
    },

    async list(owner, query) {
      const own = [...tasks.values()].filter((kept) => kept.owner === owner && live(kept));
      return pageOf(own.map(summaryOf), query);
    },
  };
}

function changed(kept: StoredTask, change: TaskChange): StoredTask | undefined {
  if (kept.status !== 'open') return undefined;
  const updatedAt = Date.now();
  switch (change.kind) {
    case 'began':
      return { ...kept, updatedAt, execution: change.execution };
    case 'progress':
      return { ...kept, updatedAt, message: change.message };
    case 'asked': {
      if (Object.hasOwn(kept.inputs, change.key) || kept.answered.includes(change.key)) return kept;
      const inputs = { ...kept.inputs, [change.key]: structuredClone(change.input) };
      return { ...kept, updatedAt, inputs, waits: kept.waits + 1 };
    }
    case 'answered': {
      if (!Object.hasOwn(kept.inputs, change.key)) return undefined;
      const { [change.key]: _, ...inputs } = kept.inputs;
      return { ...kept, updatedAt, inputs, waits: kept.waits - 1, answered: [...kept.answered, change.key] };
    }
    case 'sent': {
      const input = Object.hasOwn(kept.inputs, change.key) ? kept.inputs[change.key] : undefined;
      if (input === undefined || input.sent?.by !== change.input.sent?.by) return undefined;
      return { ...kept, inputs: { ...kept.inputs, [change.key]: { ...input, sent: change.sent } } };
    }
    case 'ended': {
      const end = fitsRecord(change.end) ? { end: structuredClone(change.end) } : {};
      const { message: _progress, ...rest } = kept;
      const message = messageOfEnd(change.end);
      const told = message === undefined ? {} : { message };
      return { ...rest, updatedAt, status: change.end.status, ...told, ...end };
    }
  }
}
