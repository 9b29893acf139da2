import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll } from 'vitest';
import {
  bindCatalog,
  type Kind,
  type Policy,
  type PreferenceSource,
  type Primitive,
  resolveConfiguration,
  select,
} from '../../src/core/engine/index.js';
import { type PolicyReport, readPolicy } from '../../src/core/policy/index.js';

let folders = 0;
let root: string | undefined;

// A file of tests that uses this module after another one in the same process begins anew.
afterAll(() => {
  if (root !== undefined) rmSync(root, { recursive: true, force: true });
  root = undefined;
});

/** Removes the indentation and the first line break from a YAML text in the source of a test. */
export function yaml({ raw }: TemplateStringsArray, ...values: readonly unknown[]): string {
  const text = String.raw({ raw }, ...values).replace(/^\n/, '');
  const indent = /^ */.exec(text)?.[0].length ?? 0;
  const lines = text
    .split('\n')
    .map((line) => line.slice(Math.min(indent, /^ */.exec(line)?.[0].length ?? 0)));
  return lines.join('\n').trimEnd().concat('\n');
}

/** A valid policy of nine lines, to which a test adds rules. */
export const POLICY_WITHOUT_RULES = yaml`
  version: 1
  concerns:
    security: { values: [low, medium, high] }
    environment: { values: [development, production] }
    topic: { values: [charts, maps], multiple: true }
    budget: { values: { min: 0, max: 500 } }
    tier: { values: [free, pro], set-by: operator, claim: "custom:tier", default: free }
    seat: { values: [yes, no], set-by: operator, claim: seat, default: no }
  # The rules begin in line 10.
`;

/** Writes files into a new folder and returns the folder. */
export function write(files: Readonly<Record<string, string>>): string {
  folders += 1;
  root ??= mkdtempSync(join(tmpdir(), 'concerns-'));
  const folder = join(root, String(folders));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export { policyFromText as policyOf } from '../policy-text.js';

/** Writes files and reads the policy at some of the paths. The report uses the given names. */
export function reportOf(
  files: Readonly<Record<string, string>>,
  paths: readonly string[] = ['policy.yaml'],
): PolicyReport {
  const folder = write(files);
  const report = readPolicy(paths.map((path) => join(folder, path)));
  const texts = new Map([...report.texts].map(([file, text]) => [relative(folder, file), text]));
  const findings = report.findings.map((finding) => ({
    ...finding,
    file: relative(folder, finding.file),
    message: finding.message.replaceAll(`${folder}/`, ''),
  }));
  return { ...report, findings, texts };
}

/** The findings of a policy of one file, each as `line:column code`. */
export function findingsOf(text: string): string[] {
  return reportOf({ 'policy.yaml': text }).findings.map(
    ({ line, column, code }) => `${line}:${column} ${code}`,
  );
}

/** The preference sources of a request that carries these concerns in its `_meta`. */
export function requested(concerns: unknown): PreferenceSource[] {
  return [{ from: 'request', concerns }];
}

export interface Listing {
  readonly kind?: Kind;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The names of the primitives that a host sees. Each primitive is given by name or as an object. */
export function shown(
  policy: Policy,
  primitives: readonly (string | Primitive)[],
  concerns: unknown,
  { kind = 'tools', claims }: Listing = {},
): string[] {
  const identity = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' }[
    kind
  ];
  const items: Primitive[] = primitives.map((each) =>
    typeof each === 'string' ? { [identity]: each } : each,
  );
  const configuration = resolveConfiguration(
    policy,
    concerns === undefined ? [] : requested(concerns),
    claims && { claims: new Map(Object.entries(claims)) },
  );
  const names = select(bindCatalog(policy, kind, items), configuration).kept.map(
    (item) => item[identity as keyof Primitive],
  );
  return names.map(String);
}
