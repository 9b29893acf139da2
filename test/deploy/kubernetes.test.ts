import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { definition } from '../../src/cli/commands/serve.js';

const documents = parseAllDocuments(readFileSync('templates/kubernetes.yaml', 'utf8'));
const [deployment, service] = documents.map((each) => each.toJS());
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const containerfile = readFileSync('templates/Containerfile', 'utf8');
const listOf = (keyword: string): string[] =>
  JSON.parse(new RegExp(`^${keyword} (\\[.*\\])$`, 'm').exec(containerfile)?.[1] ?? '[]');

/** The fields of these kinds, in the API of Kubernetes, that the manifest may have. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['apiVersion', 'kind', 'metadata', 'spec'],
  'Deployment.spec': ['replicas', 'selector', 'strategy', 'template'],
  pod: ['automountServiceAccountToken', 'terminationGracePeriodSeconds', 'securityContext', 'containers'],
  container: [
    ...['name', 'image', 'args', 'envFrom', 'ports', 'startupProbe', 'livenessProbe', 'readinessProbe'],
    ...['lifecycle', 'resources', 'securityContext'],
  ],
  probe: ['httpGet', 'periodSeconds', 'timeoutSeconds', 'failureThreshold'],
  Service: ['apiVersion', 'kind', 'metadata', 'spec'],
  'Service.spec': ['selector', 'sessionAffinity', 'ports'],
};
const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

describe('the manifest for Kubernetes', () => {
  it('is valid YAML with a Deployment and a Service, and only fields that these have', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect([deployment.apiVersion, deployment.kind]).toEqual(['apps/v1', 'Deployment']);
    expect([service.apiVersion, service.kind]).toEqual(['v1', 'Service']);
    const parts: [string, object][] = [
      ['Deployment', deployment],
      ['Deployment.spec', deployment.spec],
      ['pod', pod],
      ['container', container],
      ...probes.map((probe): [string, object] => ['probe', probe]),
      ['Service', service],
      ['Service.spec', service.spec],
    ];
    for (const [part, value] of parts) {
      expect(Object.keys(value).filter((field) => !FIELDS[part]?.includes(field))).toEqual([]);
    }
  });

  it('selects its own pods, and leads to the port that the process listens on', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    const [port] = container.ports;
    const standard = definition.options.find(({ long }) => long === '--port')?.defaultValue;
    expect(port.containerPort).toBe(standard);
    expect(containerfile).toContain(`EXPOSE ${standard}\n`);
    expect(service.spec.ports[0].targetPort).toBe(port.name);
    for (const probe of probes) expect(probe.httpGet.port).toBe(port.name);
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
    const known = definition.options.map(({ long }) => long);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
