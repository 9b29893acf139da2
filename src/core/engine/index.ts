export {
  type Caller,
  type ConcernWarning,
  type Configuration,
  describeAccepted,
  describeConfiguration,
  describeModel,
  describeOrigins,
  type EffectiveValue,
  type InvalidValue,
  type Origin,
  type PreferenceSource,
  type PreferenceSourceName,
  type PreferredValue,
  resolveConfiguration,
} from './configuration.js';
export {
  type ChangeReason,
  type ConcernReason,
  type Decision,
  decide,
  evaluate,
  type IndexedDecision,
  type RuleReason,
} from './evaluate.js';
export type { Expression } from './expression/expression.js';
export type { HiddenCounts } from './hidden.js';
export {
  type Change,
  identityOf,
  type Mapping,
  mapPrimitive,
  type Offer,
  type Primitive,
  type ServerCatalog,
} from './mapping.js';
export {
  type CompiledEntry,
  type CompiledPolicy,
  type Concern,
  type ConcernValue,
  type ConcernValues,
  KINDS,
  type Kind,
  type Pins,
  type Policy,
  preparePolicy,
  type Settings,
} from './policy.js';
export { bindCatalog, type Catalog, type Selection, select } from './select.js';
