export type { PolicyCatalog } from './check/check-catalog.js';
export { CompiledPolicyError, openCompiledPolicy } from './compile/compiled.js';
export { loadPolicy, PolicyFileError, type PolicyReport, readPolicy } from './compile/load.js';
export { FINDING_FORMATS, type FindingFormat, writeFindings } from './language/finding-formats.js';
export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  formatFindings,
  type Place,
  PolicyError,
} from './language/findings.js';
export { policySchema } from './language/schema.js';
