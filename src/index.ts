export type { Policy } from './engine/policy.js';
export { ConcernsError } from './errors.js';
export { CompiledPolicyError, openCompiledPolicy } from './policy/compile/compiled.js';
export {
  AttachError,
  type AttachedConcerns,
  attachConcerns,
  type ConnectableServer,
} from './protocol/attach.js';
export type { ConcernsOptions } from './protocol/concerns-options.js';
export { EXTENSION_ID } from './protocol/messages/wire.js';
export { LivePolicy } from './protocol/request/live-policy.js';
export type { GateReport } from './protocol/request/report.js';
export { createMemoryStore, type MemoryStoreOptions } from './session/memory.js';
export type { HostConcerns, SessionRead, SessionRecord, SessionStore } from './session/store.js';
