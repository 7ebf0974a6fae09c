import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { COMPLETION_WAIT_SECONDS, MAX_WAIT_SECONDS } from '../../contract/limits.ts';
import { lintDockerfile, readYaml, TOOLS, type Tree } from './tools.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(ROOT + file, 'utf8');

test('the documented proxies wait for the slowest response', () => {
  const secondsOf = (file: string, setting: RegExp): number => Number(setting.exec(read(file))![1]);
  const slowest = Math.max(MAX_WAIT_SECONDS, COMPLETION_WAIT_SECONDS);
  expect(secondsOf('deploy/Caddyfile', /response_header_timeout (\d+)s/)).toBeGreaterThan(slowest);
  expect(secondsOf('docs/operations.md', /timeout server (\d+)s/)).toBeGreaterThan(slowest);
  expect(secondsOf('docs/operations.md', /must\s+allow (\d+) s for a\s+response/)).toBeGreaterThan(slowest);
  expect(secondsOf('docs/deploying.md', /must\s+allow (\d+) s for a\s+response/)).toBeGreaterThan(slowest);
});

describe.skipIf(!TOOLS)('the container', () => {
  test('the linter finds no fault in the Dockerfile', () => {
    expect(lintDockerfile(read('Dockerfile')).map(({ message }) => message)).toEqual([]);
  });

  const compose = (): Tree => readYaml(read('compose.yaml'))[0];
  const ours = (): [string, Tree][] =>
    Object.entries<Tree>(compose().services).filter(([, service]) => service.build !== undefined);

  test('compose.yaml starts three nodes, two workers and the services that they need', () => {
    expect(Object.keys(compose().services).toSorted()).toEqual(
      ['api-1', 'api-2', 'api-3', 'migrate', 'postgres', 'proxy', 'redis', 'worker-1', 'worker-2'].toSorted(),
    );
    for (const [name, { command }] of ours())
      expect([name, command]).toEqual([
        name,
        name.startsWith('worker') ? ['serve', '--role', 'worker'] : name === 'migrate' ? ['migrate'] : undefined,
      ]);
    const proxied = /reverse_proxy (.*) \{/.exec(read('deploy/Caddyfile'))![1]!.split(' ');
    expect(proxied).toEqual(['api-1:4000', 'api-2:4000', 'api-3:4000']);
  });

  test('the containers of compose.yaml are read-only and have time to stop', () => {
    for (const [name, service] of ours())
      expect([name, service]).toMatchObject([name, { read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] }]);
    for (const [name, service] of ours().filter(([name]) => name !== 'migrate'))
      expect([name, Number.parseInt(service.stop_grace_period, 10) > 29]).toEqual([name, true]);
  });

  test('no secret in compose.yaml has a default', () => {
    const settings = Object.entries<string>(compose().services['api-1'].environment);
    for (const [name, value] of settings.filter(([name]) => /SECRET|PASSWORD|DATABASE_URL|SMTP_URL/.test(name)))
      expect([name, value]).toEqual([name, expect.stringMatching(/\$\{[A-Z_]+:(\?[^}]+|-)\}/)]);
    expect(read('compose.yaml')).not.toMatch(/(SECRET|PASSWORD): (?!\$\{)/);
  });

  test('the settings in compose.yaml exist, and only the proxy is reachable from outside', () => {
    const configuration = read('docs/configuration.md');
    for (const [name] of Object.entries(compose().services['api-1'].environment))
      expect([name, configuration.includes(`\`${name}\``)]).toEqual([name, true]);
    const open = Object.entries<Tree>(compose().services).filter(([, service]) => service.ports !== undefined);
    expect(open.map(([name]) => name)).toEqual(['proxy']);
    for (const name of ['postgres', 'redis']) expect(compose().services[name].networks).toEqual(['data']);
    expect(compose().networks.data.internal).toBe(true);
  });
});
