import { projectSchema } from '../../src/cli/project/project-schema.js';
import { endpointSchema } from '../../src/deploy/endpoint.js';
import { policySchema } from '../../src/policy/language/schema.js';
import { testFileSchema } from '../../src/policy/testing/test-schema.js';
import { architecturePage } from './architecture.js';
import { writePage } from './page.js';
import { writeType } from './types.js';
import { writeValidator } from './validator.js';

/**
 * Generates the schemas for editors, the validators and their types, and the picture of the architecture.
 *
 * @returns the expected text of each generated file, by its path in the repository
 * @example
 * for (const [file, text] of await generatedFiles()) writeFileSync(file, text);
 */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const json = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;
  return new Map([
    ['docs/architecture.md', architecturePage()],
    ['policies/config.schema.json', json(projectSchema)],
    ['policies/schema.json', json(policySchema)],
    ['policies/test.schema.json', json(testFileSchema)],
    ['src/cli/project/generated/project-document.ts', writeType(projectSchema, 'ProjectDocument')],
    ['src/cli/project/generated/project-validator.ts', await writeValidator(projectSchema)],
    ['src/deploy/generated/endpoint.ts', writeType(endpointSchema, 'Endpoint')],
    ['src/deploy/generated/endpoint-validator.ts', await writeValidator(endpointSchema)],
    ['src/policy/language/generated/policy-document.ts', writeType(policySchema, 'PolicyDocument')],
    ['src/policy/testing/generated/test-file-document.ts', writeType(testFileSchema, 'WholeTestFile')],
    ['src/policy/language/generated/policy-validator.ts', await writeValidator(policySchema)],
    ['src/gate/panel/generated/page.ts', await writePage()],
    ['src/policy/testing/generated/test-file-validator.ts', await writeValidator(testFileSchema)],
  ]);
}
