import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * The tools are Helm, the schemas of Kubernetes, and a YAML parser, which scripts/deploy-tools.mjs installs. The path
 * is undefined if the installation failed.
 */
export const TOOLS = process.env.TEST_DEPLOY_TOOLS;

const toolRequire = createRequire(path.resolve(TOOLS ?? '.', 'package.json'));

// oxlint-disable-next-line typescript/no-explicit-any -- manifests of any kind; tests look into them freely
export type Tree = any;

export const readYaml = (text: string): Tree[] =>
  (toolRequire('yaml') as { parseAllDocuments(text: string, options: object): { toJS(): Tree; errors: Error[] }[] })
    .parseAllDocuments(text, { merge: true, uniqueKeys: true })
    .map((one) => {
      if (one.errors.length > 0) throw one.errors[0]!;
      return one.toJS();
    })
    .filter((tree) => tree !== null);

/** Returns the problems that a Dockerfile linter reports. */
export const lintDockerfile = (text: string): { message: string }[] =>
  (toolRequire('dockerfile-utils') as { validate(text: string): { message: string }[] }).validate(text);

export function helm(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(path.join(TOOLS!, 'helm'), args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: TOOLS! },
  });
}

type Validate = { (manifest: unknown): boolean; errors?: object[] | null };

/** The schema names of a kind, by the first part of its `apiVersion`. */
const GROUPS: Record<string, string> = {
  v1: 'Core',
  apps: 'Apps',
  autoscaling: 'Autoscaling',
  batch: 'Batch',
  policy: 'Policy',
  'networking.k8s.io': 'Networking',
};

/**
 * Returns the faults of a manifest according to Kubernetes' own schema. The schemas allow unknown fields, so a misspelt
 * field would pass. In addition, this function reports a field that the validation never reads.
 */
export function faultsOf(manifest: Tree): string[] {
  const [group, version = group] = (manifest.apiVersion as string).split('/') as [string, string?];
  const name = `IoK8sApi${GROUPS[group]}${version[0]!.toUpperCase()}${version.slice(1)}${manifest.kind}`;
  const file = path.join(TOOLS!, 'node_modules', 'kubernetes-models', '_schemas', `${name}.js`);
  const { validate } = toolRequire(file) as { validate: Validate };
  const read = new Set<string>();
  const watched = (value: Tree, at: string): Tree =>
    value === null || typeof value !== 'object'
      ? value
      : new Proxy(value, {
          get(target, key) {
            if (typeof key !== 'string') return target[key];
            read.add(`${at}/${key}`);
            return watched(target[key], `${at}/${key}`);
          },
        });
  const isValid = validate(watched(manifest, ''));
  const unknown = (value: Tree, at: string): string[] =>
    value === null || typeof value !== 'object'
      ? []
      : Object.entries(value).flatMap(([key, inner]) =>
          read.has(`${at}/${key}`) ? unknown(inner, `${at}/${key}`) : [`${at}/${key} is no known field`],
        );
  return [...(isValid ? [] : (validate.errors ?? []).map((error) => JSON.stringify(error))), ...unknown(manifest, '')];
}
