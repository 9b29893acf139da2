import { afterAll, beforeAll } from 'vitest';

/**
 * Keeps the lines out of the test output that the SDK of durable functions logs when an execution is stopped during a
 * checkpoint. Its logger writes to the stream, not to the global console. Everything else on the stream passes.
 */
export function hideStoppedExecutions(): void {
  const { stderr } = process;
  const write = stderr.write;
  beforeAll(() => {
    stderr.write = function (this: NodeJS.WriteStream, chunk: string | Uint8Array, ...rest: never[]) {
      if (typeof chunk === 'string' && isStopped(chunk)) return true;
      return write.call(this, chunk, ...rest);
    };
  });
  afterAll(() => {
    stderr.write = write;
  });
}

/** A stopped execution has no open checkpoint, which Lambda calls an invalid parameter. */
const isStopped = (line: string): boolean =>
  line.includes('"level":"ERROR"') &&
  line.includes('"message":"Failed to checkpoint durable execution InvalidParameterValueException');
