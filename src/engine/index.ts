export {
  type Caller,
  type Carrier,
  type CarrierName,
  type ConcernWarning,
  type Configuration,
  describeAccepted,
  describeConfiguration,
  describeOrigins,
  type InvalidValue,
  type Origin,
  resolveConfiguration,
} from './configuration.js';
export {
  type BecauseConcern,
  type BecauseRule,
  type Decision,
  decide,
  evaluate,
  type Verdict,
} from './evaluate.js';
export type { HiddenCounts } from './hidden.js';
export {
  identityOf,
  type Mapping,
  mapPrimitive,
  type Offer,
  type Primitive,
  type Surface,
} from './mapping.js';
export {
  type CompiledEntry,
  type CompiledPolicy,
  type Concern,
  type ConcernValue,
  type ConcernValues,
  KINDS,
  type Kind,
  type Policy,
  preparePolicy,
  type Settings,
} from './policy.js';
export { bindCatalog, type Catalog, type Selection, select } from './select.js';
