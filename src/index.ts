export type { Policy } from './engine/policy.js';
export { ConcernsError } from './errors.js';
export {
  AttachError,
  type AttachedConcerns,
  attachConcerns,
  type ConnectableServer,
} from './gate/attach.js';
export type { ConcernsOptions } from './gate/edge/concerns-options.js';
export { LivePolicy } from './gate/request/live-policy.js';
export type { GateReport } from './gate/request/report.js';
export { CompiledPolicyError, openCompiledPolicy } from './policy/compile/compiled.js';
export { createMemoryStore, type MemoryStoreOptions } from './session/memory.js';
export type { HostConcerns, SessionRead, SessionRecord, SessionStore } from './session/store.js';
export { EXTENSION_ID } from './wire/messages.js';
