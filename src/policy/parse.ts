export type { PolicyCatalog } from './check/check-catalog.js';
export { type Completion, type Completions, completionsAt, type KnownNames } from './check/completions.js';
export type { PolicyReport } from './compile/check-reading.js';
export { parsePolicy } from './compile/parse.js';
export { FINDING_FORMATS, type FindingFormat, writeFindings } from './language/finding-formats.js';
export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  type Fix,
  formatFindings,
  type Place,
} from './language/findings.js';
export { type Path, readPolicyText, type Source } from './language/read-yaml.js';
export { policySchema } from './language/schema.js';
export { checkTests } from './testing/check-tests.js';
export { runTestFile, type TestFileRun } from './testing/run-test-file.js';
export { runTest, type Subject, subjectsOf, type TestResult } from './testing/run-tests.js';
export { type PolicyTest, readTestFile, type TestFile } from './testing/test-file.js';
export { testFileSchema } from './testing/test-schema.js';
