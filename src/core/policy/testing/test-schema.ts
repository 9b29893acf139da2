import type { WholeTestFile } from './generated/test-file-schema.js';

export { testFileSchema } from './generated/test-file-schema.js';

type WholeTest = WholeTestFile['tests'][number];

/** A test as it was read from YAML. It fits the schema, except that required keys may be missing. */
export type TestDocument = Partial<WholeTest>;
/** A test file as it was read from YAML. It fits the schema, except that required keys may be missing. */
export type TestFileDocument = Partial<Omit<WholeTestFile, 'tests'>> & {
  readonly tests?: readonly TestDocument[];
};
