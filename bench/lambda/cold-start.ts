import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** Durations of a new process, in milliseconds. */
export interface ColdStart {
  /** Importing the module of the function. */
  readonly imported: number;
  /** From the first call to its answer. */
  readonly called: number;
  /** From the start of the process to that answer. */
  readonly total: number;
  /** The number of listed tools. */
  readonly tools: number;
}

const PROGRAM = `
  const [, entry, event] = process.argv;
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  const before = performance.now();
  const { handler } = await import(entry);
  const imported = performance.now();
  const { body } = await handler(JSON.parse(event), { awsRequestId: 'one' });
  const answered = performance.now();
  const { tools } = JSON.parse(body).result;
  const times = { imported: imported - before, called: answered - imported, total: answered, tools: tools.length };
  write(JSON.stringify(times), () => process.exit(0));`;

/**
 * Starts a function in a new process, and lists its tools.
 *
 * @param entry the bundle's entry
 * @param event the event of the invocation
 * @returns the durations
 */
export async function coldStart(entry: string, event: object): Promise<ColdStart> {
  const args = ['--input-type=module', '-e', PROGRAM, pathToFileURL(entry).href, JSON.stringify(event)];
  const env = { PATH: process.env.PATH ?? '', MCP_CONCERNS_SESSIONS: 'none' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as ColdStart;
}
