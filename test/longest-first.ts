import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Wait for most of their time, in files of a few lines. Vitest begins with the largest files where no results of an earlier run
 * are kept, so it would begin with these last, and wait for them alone.
 */
const WAITING = /test\/slow\/waiting-example\.test\.ts$/;

/** Begins with the files that take longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification): boolean => WAITING.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}
