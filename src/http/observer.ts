import type { KnownNames } from '../gate/edge/outcomes.js';
import { type GateReport, reasonOf } from '../gate/request/report.js';
import type { SessionStore } from '../session/store.js';

/** One call to the session store. */
export interface StoreCall {
  readonly operation: 'read' | 'update' | 'end';
  readonly ms: number;
  /** Why the call failed: the code of the first cause, or its name: `ECONNREFUSED`, `ThrottlingException`. */
  readonly failed?: string;
}

/** Receives what happens while an HTTP request is answered. */
export interface Observer {
  /** Called once for each JSON-RPC request in the HTTP request. */
  readonly report?: ((report: GateReport) => void) | undefined;
  /** Called once for each call to the session store, when it has ended. */
  readonly storeCall?: ((call: StoreCall) => void) | undefined;
  /** Called with the reason if a request failed: its client gets only an error. By default, it is written to the console. */
  readonly failed?: ((cause: unknown) => void) | undefined;
  /** The names that reports may contain, shared by all requests of an endpoint. */
  readonly names?: KnownNames | undefined;
}

/** @returns an observation of one HTTP request: everything that happens during it, collected for the log */
export function observe() {
  const started = performance.now();
  const reports: GateReport[] = [];
  const storeCalls: StoreCall[] = [];
  return {
    reports,
    storeCalls,
    report: (report: GateReport) => void reports.push(report),
    storeCall: (call: StoreCall) => void storeCalls.push(call),
    /** @returns milliseconds since the observation began, rounded to one decimal */
    elapsed: () => rounded(performance.now() - started),
  };
}

/** @returns a store that reports each call to `storeCall` */
export function observedStore(store: SessionStore, storeCall: Observer['storeCall']): SessionStore {
  if (storeCall === undefined) return store;
  const timed = async <T>(operation: StoreCall['operation'], call: Promise<T>): Promise<T> => {
    const started = performance.now();
    const ms = (): number => rounded(performance.now() - started);
    try {
      const result = await call;
      storeCall({ operation, ms: ms() });
      return result;
    } catch (cause) {
      storeCall({ operation, ms: ms(), failed: reasonOf(cause) });
      throw cause;
    }
  };
  return {
    read: (id) => timed('read', store.read(id)),
    update: (id, change) => timed('update', store.update(id, change)),
    end: (id) => timed('end', store.end(id)),
  };
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
