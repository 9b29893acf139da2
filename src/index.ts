export type { Policy } from './engine/policy.js';
export { CompiledPolicyError, openCompiledPolicy } from './policy/compiled.js';
export {
  AttachError,
  type AttachedConcerns,
  attachConcerns,
  type ConcernsOptions,
  type ConnectableServer,
} from './protocol/attach.js';
export { LivePolicy } from './protocol/live-policy.js';
export type { GateReport } from './protocol/scope.js';
export { EXTENSION_ID } from './protocol/wire.js';
export type { HostConcerns, SessionRead, SessionRecord, SessionStore } from './session/store.js';
