export type { PolicyCatalog } from './check/check-catalog.js';
export type { PolicyReport } from './compile/check-reading.js';
export { CompiledPolicyError, openCompiledPolicy } from './compile/compiled.js';
export { compileToJson, loadPolicy, PolicyFileError, readPolicy } from './compile/load.js';
export type { Changed, ChangeGroup, Extent, Term } from './diff/change.js';
export { compareSides, type Difference, type Side } from './diff/compare.js';
export { compareDeclarations } from './diff/compare-declarations.js';
export { describeCondition } from './diff/conditions.js';
export { FINDING_FORMATS, type FindingFormat, writeFindings } from './language/finding-formats.js';
export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  type Fix,
  formatFindings,
  type Place,
  PolicyError,
} from './language/findings.js';
export { FormatError, formatYaml } from './language/format-yaml.js';
export { type Path, readPolicyText, type Source } from './language/read-yaml.js';
export { policySchema } from './language/schema.js';
export { checkTests } from './testing/check-tests.js';
export { type CoveredPart, coverageOf, percentageOf, type TestRun } from './testing/coverage.js';
export { runTestFile, type TestFileRun } from './testing/run-test-file.js';
export { runTest, type Subject, subjectsOf, type TestResult } from './testing/run-tests.js';
export { type PolicyTest, readTestFile, type TestFile } from './testing/test-file.js';
export { testFileSchema } from './testing/test-schema.js';
