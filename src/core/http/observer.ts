import type { KnownNames } from '../gate/edge/outcomes.js';
import { type GateReport, type ReceiveReport, reasonOf, type Timing } from '../gate/request/report.js';
import type { SessionStore } from '../session/store.js';
import type { StoreCall } from '../telemetry/request-log.js';
import type { AuthInfo } from '../wire/transport.js';

/** Receives what happens while an HTTP request is answered. */
export interface Observer {
  /** Called once for each JSON-RPC request in the HTTP request. */
  readonly report?: ReceiveReport | undefined;
  /** Called once for each call to the session store, when it has ended. */
  readonly storeCall?: ((call: StoreCall) => void) | undefined;
  /** When the request arrived, by `performance.now()`. By default, when it reaches the gate. */
  readonly arrivedAt?: number | undefined;
  /** Called with the verified caller, once it is known. */
  readonly identified?: ((caller: AuthInfo | undefined) => void) | undefined;
  /** Called if the request is refused since the policy of the endpoint was not found yet. */
  readonly policyMissing?: (() => void) | undefined;
  /** Called with the reason if a request failed: its client gets only an error. By default, it is written to the console. */
  readonly failed?: ((cause: unknown) => void) | undefined;
  /** The names that reports may contain, shared by all requests of an endpoint. */
  readonly names?: KnownNames | undefined;
}

/** Everything that happens during one HTTP request, collected for the log. */
export interface Observation {
  readonly arrivedAt: number;
  readonly reports: readonly GateReport[];
  readonly timings: Map<GateReport, Timing>;
  readonly storeCalls: readonly StoreCall[];
  readonly report: ReceiveReport;
  readonly storeCall: (call: StoreCall) => void;
  /** @returns milliseconds since the observation began, rounded to one decimal */
  readonly elapsed: () => number;
}

/** @returns an observation of one HTTP request: everything that happens during it, collected for the log */
export function observe(): Observation {
  const started = performance.now();
  const reports: GateReport[] = [];
  const timings = new Map<GateReport, Timing>();
  const storeCalls: StoreCall[] = [];
  return {
    arrivedAt: started,
    reports,
    timings,
    storeCalls,
    report: (report: GateReport, timing?: Timing): void => {
      reports.push(report);
      if (timing !== undefined) timings.set(report, timing);
    },
    storeCall: (call: StoreCall) => void storeCalls.push(call),
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
