import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CLIENT } from './install.js';
import type { PackagedFunction } from './packaged.js';
import { type Answer, type Posted, type RuntimeApi, startRuntimeApi } from './runtime-api.js';

/** An execution environment of Lambda: a process of the runtime client that handles one event after the other. */
export interface Environment {
  /** The error that the process sent instead of its first request for an event. */
  readonly initError: Posted | undefined;
  /** Milliseconds from the start of the process to its first request for an event. */
  readonly initMs: number;
  invoke(event: unknown): Promise<Answer>;
  /** @returns the log lines so far that are below WARN */
  stdout(): Record<string, unknown>[];
  stderr(): string;
  running(): boolean;
  /** The exit code, if the process exits by itself. */
  readonly ended: Promise<number | null>;
  /** Requests that the process must not send to the Runtime API. */
  readonly unexpected: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts the process of a function in the same way as Lambda.
 *
 * @param node the binary of Node.js
 * @param packaged the function
 * @param env variables in addition to those of the template
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
  /** Rejects if the process exits first. */
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

/** @returns the variables that Lambda sets, without those of this process */
function variablesOf(
  { taskRoot, handler, runtime, memory }: PackagedFunction,
  api: RuntimeApi,
): Record<string, string> {
  return {
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory,
    AWS_LAMBDA_FUNCTION_NAME: 'mcp-concerns-dev-mcp',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    // Powertools reports a cold start only with this value.
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
