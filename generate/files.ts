import { policySchema } from '../src/policy/schema.js';
import { testFileSchema } from '../src/policy/test-schema.js';
import { writeValidator } from './validator.js';

/** @returns every generated file by its path, with the text that it has to have */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const json = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;
  return new Map([
    ['policies/schema.json', json(policySchema)],
    ['policies/test.schema.json', json(testFileSchema)],
    ['src/policy/generated/policy-validator.ts', await writeValidator(policySchema)],
    ['src/policy/generated/test-file-validator.ts', await writeValidator(testFileSchema)],
  ]);
}
