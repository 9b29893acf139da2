import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPolicyText } from '../../src/core/policy/language/read-yaml.js';

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** A job that uses an action, as a workflow describes it. */
export interface Job {
  /** The folder of the action's repository. */
  readonly action: string;
  /** The folder of the repository that uses it. */
  readonly repository: string;
  /** A folder for the files of the runner. */
  readonly temp: string;
  readonly with: Readonly<Record<string, string>>;
  readonly github: object;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a job did. */
export interface JobResult {
  readonly failed: boolean;
  /** The result of each step: `skipped` if its condition was false. */
  readonly steps: Readonly<Record<string, 'success' | 'failure' | 'skipped'>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly log: string;
}

/**
 * Runs a composite action as a runner of GitHub does: expressions, conditions, and the files behind GITHUB_OUTPUT and
 * GITHUB_STEP_SUMMARY. It knows only the parts of the language that this action uses.
 */
export function runAction({ action, repository, temp, env, github, with: given }: Job): JobResult {
  const { inputs, outputs, runs } = readPolicyText(
    readFileSync(join(action, 'action.yml'), 'utf8'),
    'action.yml',
  ).data as Action;
  mkdirSync(temp, { recursive: true });
  const summaryFile = join(temp, 'summary.md');
  writeFileSync(summaryFile, '');
  const stepOutputs: Record<string, { outputs: Record<string, string> }> = {};
  const steps: Record<string, 'success' | 'failure' | 'skipped'> = {};
  let [failed, log] = [false, ''];

  const contexts = { github: { token: 'the-token', ...github }, steps: stepOutputs };
  const fill = (text: string, own: object): string =>
    text.replace(/\$\{\{(.*?)\}\}/g, (_whole, expression: string) =>
      String(evaluate(expression, { ...contexts, ...own }, failed) ?? ''),
    );
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, given[name] ?? fill(input.default, {})]),
  );
  for (const [index, step] of runs.steps.entries()) {
    const isRun =
      step.if === undefined ? !failed : evaluate(step.if, { ...contexts, inputs: values }, failed);
    if (!isRun) {
      steps[step.name] = 'skipped';
      continue;
    }
    const outputFile = join(temp, `output-${index}`);
    writeFileSync(outputFile, '');
    const script = join(temp, `step-${index}.sh`);
    writeFileSync(script, step.run);
    const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, fill(text, { inputs: values })]);
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', script],
      {
        cwd: repository,
        encoding: 'utf8',
        env: {
          ...env,
          RUNNER_TEMP: temp,
          GITHUB_ACTION_PATH: action,
          GITHUB_OUTPUT: outputFile,
          GITHUB_STEP_SUMMARY: summaryFile,
          ...Object.fromEntries(own),
        },
      },
    );
    log += `## ${step.name}\n${stdout}${stderr}`;
    steps[step.name] = status === 0 ? 'success' : 'failure';
    if (status !== 0) failed = true;
    const lines = readFileSync(outputFile, 'utf8').split('\n').filter(Boolean);
    if (step.id !== undefined) {
      stepOutputs[step.id] = {
        outputs: Object.fromEntries(
          lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
        ),
      };
    }
  }
  return {
    failed,
    steps,
    log,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, fill(value, {})])),
    summary: readFileSync(summaryFile, 'utf8'),
  };
}

/** Evaluates an expression of a workflow. A property that does not exist is null, as on GitHub. */
function evaluate(expression: string, contexts: object, failed: boolean): unknown {
  const code = expression.replace(
    /'[^']*'|\b(inputs|github|steps)((?:\.[\w-]+)+)/g,
    (whole, root: string | undefined, path: string) =>
      root === undefined
        ? whole
        : JSON.stringify(
            path
              .slice(1)
              .split('.')
              .reduce<unknown>((value, key) => Object(value)[key], Reflect.get(contexts, root)) ?? null,
          ),
  );
  return new Function('success', 'failure', `return (${code});`)(
    () => !failed,
    () => failed,
  );
}
