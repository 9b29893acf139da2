export { concernsCapabilities, inMeta, type Kind } from './carry.js';
export { type Checked, checkPreferences, type HostPreferences, type Problem, type Wish } from './check.js';
export type {
  Change,
  Concerns,
  ListFilter,
  ListMethod,
  ListOf,
} from './concerns.js';
export { type ConcernsOptions, createConcerns } from './create.js';
export {
  type Declaration,
  type DeclaredConcern,
  type DeclaredValues,
  type PresetValues,
  readDeclaration,
} from './declaration.js';
export { ConcernsError, type ConcernsErrorCode } from './errors.js';
export type { Sent } from './keeper.js';
export type { HostClient, RequestOptions } from './sdk.js';
export { type EffectiveConcerns, type ListSummary, type ServerWarning, summaryOf } from './summary.js';
export type { HostTransport } from './transport.js';
