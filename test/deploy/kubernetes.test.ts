import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { command } from '../../src/cli/commands/serve.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';

const source = readFileSync('templates/kubernetes.yaml', 'utf8');
const documents = parseAllDocuments(source);
const [deployment, service, policy, budget] = documents.map((each) => each.toJS());
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const containerfile = readFileSync('templates/Containerfile', 'utf8');
const listOf = (keyword: string): string[] =>
  JSON.parse(new RegExp(`^${keyword} (\\[.*\\])$`, 'm').exec(containerfile)?.[1] ?? '[]');

const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

/** What the compiler says about a manifest, under the types that are generated from the schema of the Kubernetes API. */
function problemsIn(manifest: string): string {
  const [first, second, third, fourth] = parseAllDocuments(manifest).map((each) => JSON.stringify(each));
  mkdirSync('build', { recursive: true });
  const folder = mkdtempSync('build/kubernetes-');
  writeFileSync(
    join(folder, 'manifest.ts'),
    `export const deployment: import('kubernetes-types/apps/v1.js').Deployment = ${first};
export const service: import('kubernetes-types/core/v1.js').Service = ${second};
export const policy: import('kubernetes-types/core/v1.js').ConfigMap = ${third};
export const budget: import('kubernetes-types/policy/v1.js').PodDisruptionBudget = ${fourth};\n`,
  );
  const config = { extends: '../../tsconfig.json', files: ['manifest.ts'], include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'];
  try {
    return spawnSync(process.execPath, tsc, { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the manifest for Kubernetes', () => {
  it('is valid YAML with a Deployment, a Service, a ConfigMap and a PodDisruptionBudget, as the API of Kubernetes defines them', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect([deployment.apiVersion, deployment.kind]).toEqual(['apps/v1', 'Deployment']);
    expect([service.apiVersion, service.kind]).toEqual(['v1', 'Service']);
    expect(problemsIn(source)).toBe('');
  });

  it.each([
    [
      'an unknown field of a container',
      'readinessProbe:',
      'redinessProbe:',
      "does not exist in type 'Container'",
    ],
    [
      'a field at the wrong level',
      '  replicas: 2',
      '  sessionAffinity: None',
      "does not exist in type 'DeploymentSpec'",
    ],
    [
      'a text where a number belongs',
      'containerPort: 8808',
      "containerPort: '8808'",
      'not assignable to type',
    ],
    [
      'a missing selector',
      '  selector:\n    matchLabels: { app: mcp-concerns }\n',
      '',
      "'selector' is missing",
    ],
  ])('would be refused with %s', (_, right, wrong, problem) => {
    expect(source).toContain(right);
    expect(problemsIn(source.replace(right, wrong))).toContain(problem);
  });

  it('selects its own pods, and leads to the port that the process listens on', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
    const [port] = container.ports;
    const standard = command.definition.options.find(({ long }) => long === '--port')?.defaultValue;
    expect(port.containerPort).toBe(standard);
    expect(containerfile).toContain(`EXPOSE ${standard}\n`);
    expect(service.spec.ports[0].targetPort).toBe(port.name);
    for (const probe of probes) expect(probe.httpGet.port).toBe(port.name);
  });

  it('mounts a policy without errors as files that can change', async () => {
    const [mount] = container.volumeMounts;
    expect(mount).not.toHaveProperty('subPath');
    expect(pod.volumes).toEqual([{ name: mount.name, configMap: { name: policy.metadata.name } }]);
    expect(container.args).toContain(`--policy=${mount.mountPath}/policy.yaml`);
    const folder = mkdtempSync('build/kubernetes-');
    writeFileSync(join(folder, 'policy.yaml'), policy.data['policy.yaml']);
    try {
      expect(loadPolicy(join(folder, 'policy.yaml')).entries.tools.size).toBe(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('does not publish the port of the counts', () => {
    const metrics = container.ports.find((each: { name: string }) => each.name === 'metrics');
    expect(container.args).toContain(`--metrics=${metrics.containerPort}`);
    expect(service.spec.ports).toHaveLength(1);
  });

  it('asks the paths that serve has, and gives a process time to end', () => {
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    const [, seconds] = container.lifecycle.preStop.exec.command;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 5 + 2);
  });

  it('has no rights: not root, no capability, nothing to write', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(containerfile).toMatch(/^USER [1-9]\d*$/m);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('passes options that serve has, as the Containerfile does', () => {
    const given = [...listOf('ENTRYPOINT').slice(2), ...listOf('CMD'), ...container.args];
    const names = given.filter((each) => /^--\w/.test(each)).map((each) => each.split('=')[0]);
    expect(names.length).toBeGreaterThan(5);
    const known = command.definition.options.map(({ long }) => long);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
