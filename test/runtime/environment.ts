import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CLIENT } from './install.js';
import type { PackagedFunction } from './packaged.js';
import { type Answer, type Posted, type RuntimeApi, startRuntimeApi } from './runtime-api.js';

/** One execution environment of Lambda: one process of the runtime client, which serves one event after the other. */
export interface Environment {
  /** What the process sent in the place of a first request for an event. */
  readonly initError: Posted | undefined;
  /** From the start of the process to its first request for an event. */
  readonly initMs: number;
  invoke(event: unknown): Promise<Answer>;
  /** @returns the lines of the log so far: what Powertools writes below WARN */
  stdout(): Record<string, unknown>[];
  stderr(): string;
  running(): boolean;
  /** The exit code of a process that ends by itself. */
  readonly ended: Promise<number | null>;
  /** What the process should not have asked of the Runtime API. */
  readonly unexpected: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts the function's process as Lambda does.
 *
 * @param node the binary of Node
 * @param packaged the function
 * @param env variables besides those of the template
 */
export async function startEnvironment(
  node: string,
  packaged: PackagedFunction,
  env: Readonly<Record<string, string>> = {},
): Promise<Environment> {
  const api = await startRuntimeApi();
  const began = performance.now();
  const child = spawn(node, [CLIENT], {
    cwd: packaged.taskRoot,
    env: { ...variablesOf(packaged, api), ...packaged.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let ending = false;
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const stop = async (): Promise<void> => {
    ending = true;
    kill();
    await ended.catch(() => undefined);
    process.off('exit', kill);
    await api.close();
  };
  /** What does not come any more once the process is gone. */
  const whileItRuns = async <T>(work: Promise<T>): Promise<T> => {
    const died = ended.then((code) => {
      if (ending) return work;
      throw new Error(`The function's process ended with ${code}:\n${stdout}${stderr}`);
    });
    return Promise.race([work, died]);
  };

  try {
    const initError = await whileItRuns(api.started);
    const initMs = performance.now() - began;
    return {
      initError,
      initMs,
      invoke: (event) => whileItRuns(api.invoke(event)),
      stdout: () =>
        stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
      stderr: () => stderr,
      running: () => child.exitCode === null && child.signalCode === null,
      ended,
      unexpected: api.unexpected,
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** What Lambda sets, and nothing of this process's own environment. */
function variablesOf(
  { taskRoot, handler, runtime, memory }: PackagedFunction,
  api: RuntimeApi,
): Record<string, string> {
  return {
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory,
    AWS_LAMBDA_FUNCTION_NAME: 'mcp-concerns-dev-mcp',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    // Without it Powertools takes no start for a cold one.
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/mcp-concerns-dev-mcp',
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_RUNTIME_API: api.address,
    AWS_REGION: 'eu-central-1',
    LAMBDA_TASK_ROOT: taskRoot,
    TZ: ':UTC',
    _HANDLER: handler,
  };
}
