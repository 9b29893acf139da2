export {
  type CheckedPreferences,
  checkPreferences,
  type HostPreferences,
  type PreferenceProblem,
  type PreferenceValue,
} from './check-preferences.js';
export type { Concerns, ListChange, ListFilter, ListMethod, ListOf, Widening } from './concerns.js';
export { type CreateConcernsOptions, createConcerns } from './create-concerns.js';
export {
  type Declaration,
  type DeclaredConcern,
  type DeclaredValues,
  type PresetValues,
  readDeclaration,
} from './declaration.js';
export { PreferencesError, type PreferencesErrorCode } from './errors.js';
export type { Delivery } from './preference-sync.js';
export { concernsCapabilities, inMeta, type Kind } from './request-meta.js';
export type { HostClient, HostTransport, RequestOptions } from './sdk.js';
export { type EffectiveConcerns, type ListSummary, type ServerWarning, summaryOf } from './summary.js';
export type { TaskList, TaskListFilter, TaskListOrder } from './tasks.js';
export type { WidenedConcerns } from './widen.js';
