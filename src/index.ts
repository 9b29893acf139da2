export type { Policy } from './core/engine/policy.js';
export { ConcernsError } from './core/errors.js';
export {
  AttachError,
  type AttachedConcerns,
  attachConcerns,
  type ConnectableServer,
} from './core/gate/attach.js';
export type { ConcernsOptions } from './core/gate/edge/concerns-options.js';
export { LivePolicy } from './core/gate/request/live-policy.js';
export type { GateReport } from './core/gate/request/report.js';
export { CompiledPolicyError, openCompiledPolicy } from './core/policy/compile/compiled.js';
export { createMemoryStore, type MemoryStoreOptions } from './core/session/memory.js';
export type { HostConcerns, SessionRead, SessionRecord, SessionStore } from './core/session/store.js';
export { EXTENSION_ID } from './core/wire/messages.js';
