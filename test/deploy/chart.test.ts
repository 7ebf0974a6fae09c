import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { faultsOf, helm, readYaml, TOOLS, type Tree } from './tools.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHART = `${ROOT}deploy/helm/parley`;
const NEEDED = ['image.repository=example/parley', 'secret.name=parley', 'baseUrl=https://parley.example.com'];
const EVERYTHING = [
  'api.autoscaling.enabled=true',
  'worker.autoscaling.enabled=true',
  'ingress.enabled=true',
  'ingress.tlsSecret=cert',
  'trustedProxies={10.0.0.0/8}',
  'env.LOG_LEVEL=debug',
];

const render = (...values: string[]) =>
  helm('template', 'demo', CHART, ...[...NEEDED, ...values].flatMap((value) => ['--set', value]));
const manifests = (...values: string[]): Tree[] => {
  const { status, stdout, stderr } = render(...values);
  expect([status, stderr]).toEqual([0, '']);
  return readYaml(stdout);
};
const podsOf = (all: Tree[]): [string, Tree][] =>
  all
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((one) => [one.metadata.labels['app.kubernetes.io/component'], one.spec.template.spec]);

test('the chart and the program have the same version', () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
  const chart = readFileSync(`${CHART}/Chart.yaml`, 'utf8');
  expect(chart).toContain(`\nversion: ${version}\n`);
  expect(chart).toContain(`\nappVersion: '${version}'\n`);
});

describe.skipIf(!TOOLS)('the Helm chart', () => {
  test('the Helm chart passes the lint', () => {
    const { stdout } = helm('lint', '--strict', CHART, ...NEEDED.flatMap((value) => ['--set', value]));
    expect(stdout).toContain('0 chart(s) failed');
  });

  test.each([[[]], [EVERYTHING], [['networkPolicy.enabled=false', 'serviceAccount.create=false']]])(
    'the Helm chart renders manifests with only fields that Kubernetes knows: %j',
    (values) => {
      const all = manifests(...values);
      expect(all.length).toBeGreaterThan(5);
      for (const one of all)
        expect([one.kind, one.metadata.name, faultsOf(one)]).toEqual([one.kind, one.metadata.name, []]);
    },
  );

  test('the schema check finds a misspelt field', () => {
    const deployment = manifests().find(({ kind }) => kind === 'Deployment')!;
    deployment.spec.template.spec.containers[0].readynessProbe = {};
    deployment.spec.replicas = 'three';
    const faults = faultsOf(deployment).join('\n');
    expect(faults).toContain('/spec/template/spec/containers/0/readynessProbe is no known field');
    expect(faults).toContain('"instancePath":"/spec/replicas"');
  });

  test('the Helm chart has a Deployment for each role, a migration before it, and disruption budgets', () => {
    const kinds = manifests(...EVERYTHING).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(kinds.toSorted()).toEqual([
      'Deployment demo-parley-api',
      'Deployment demo-parley-worker',
      'HorizontalPodAutoscaler demo-parley-api',
      'HorizontalPodAutoscaler demo-parley-worker',
      'Ingress demo-parley',
      'Job demo-parley-migrate',
      'NetworkPolicy demo-parley',
      'NetworkPolicy demo-parley-api',
      'PodDisruptionBudget demo-parley-api',
      'PodDisruptionBudget demo-parley-worker',
      'Service demo-parley',
      'ServiceAccount demo-parley',
    ]);
  });

  test('every container has minimal rights and gets its secrets only from the Secret', () => {
    const pods = podsOf(manifests(...EVERYTHING));
    expect(pods.map(([role]) => role).toSorted()).toEqual(['api', 'migrate', 'worker']);
    for (const [, pod] of pods) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      const [container] = pod.containers;
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      expect(container.envFrom).toEqual([{ secretRef: { name: 'parley' } }]);
      const env = Object.fromEntries(container.env.map(({ name, value }: Tree) => [name, value]));
      expect(Object.keys(env).filter((name) => /SECRET|PASSWORD|DATABASE_URL/.test(name))).toEqual([]);
      expect(env).toMatchObject({
        BASE_URL_US: 'https://parley.example.com',
        TRUSTED_PROXIES: '10.0.0.0/8',
        LOG_LEVEL: 'debug',
      });
    }
  });

  test('a pod has enough time to stop, and serves until the Service has removed it', () => {
    const source = readFileSync(`${ROOT}src/start/serve.ts`, 'utf8');
    const stopSeconds = Number(/STOP_WITHIN_MS = ([\d_]+)/.exec(source)![1]!.replaceAll('_', '')) / 1_000;
    const pods = Object.fromEntries(podsOf(manifests()));
    const preStop = Number(pods['api'].containers[0].lifecycle.preStop.exec.command[1]);
    expect(pods['api'].terminationGracePeriodSeconds).toBeGreaterThan(preStop + stopSeconds);
    expect(pods['worker'].terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds);
    const [api, worker] = [pods['api'].containers[0], pods['worker'].containers[0]];
    expect(api.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'http' });
    expect(api.livenessProbe.httpGet).toEqual({ path: '/api/health', port: 'http' });
    expect(worker.livenessProbe.httpGet).toEqual({ path: '/api/health', port: 'metrics' });
  });

  test('an autoscaled Deployment has no fixed number of pods, and workers scale with the length of the queues', () => {
    const all = manifests(...EVERYTHING);
    for (const { spec } of all.filter(({ kind }) => kind === 'Deployment')) expect(spec).not.toHaveProperty('replicas');
    const [, worker] = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    const [{ external }] = worker.spec.metrics;
    const [adapter] = readYaml(readFileSync(`${ROOT}deploy/prometheus/adapter.yaml`, 'utf8'));
    expect(external.metric.name).toBe(adapter.rules.external[0].name.as);
  });

  test.each([
    [['baseUrl=http://parley.example.com'], '/baseUrl'],
    [['secret.name='], '/secret/name'],
    [['region=mars'], '/region'],
    [['replicas=3'], 'additional properties'],
    [['api.replicas=0'], '/api/replicas'],
    [['env.DATABASE_URL=postgresql://x'], "invalid propertyName 'DATABASE_URL'"],
  ])('the Helm chart refuses wrong values: %j', (values, message) => {
    const { status, stderr } = render(...values);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });

  test('the notes of the chart explain how to open Parley', () => {
    const { stdout } = helm(
      'install',
      'demo',
      CHART,
      '--dry-run=client',
      ...NEEDED.flatMap((value) => ['--set', value]),
    );
    expect(stdout).toMatch(/NOTES:\nParley .* is installed: https:\/\/parley\.example\.com/);
  });
});
