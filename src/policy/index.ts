export type { PolicyCatalog } from './check-catalog.js';
export { CompiledPolicyError, openCompiledPolicy } from './compiled.js';
export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  formatFindings,
  type Place,
  PolicyError,
} from './findings.js';
export { FINDING_FORMATS, type FindingFormat, writeFindings } from './formats.js';
export { loadPolicy, PolicyFileError, type PolicyReport, readPolicy } from './load.js';
export { policySchema } from './schema.js';
