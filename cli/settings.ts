import { isAbsolute, join } from 'node:path';
import { Failure } from './failure.ts';

/** The global flags exist for every command, before or after its name. */
export type GlobalOptions = { json?: boolean; url?: string; org?: string };

/** The flags and environment variables of the command line, read once. */
export type Settings = {
  /** The server's base URL, without a slash at the end. */
  url: string;
  org: string | undefined;
  email: string | undefined;
  password: string | undefined;
  /** The access token, which is used instead of a session. */
  token: string | undefined;
  apiKey: string | undefined;
  /** The folder for sessions, or null if the environment names no folder. */
  configFolder: string | null;
  /** The folder of the repository in a GitHub Actions job, and null elsewhere. */
  githubWorkspace: string | null;
};

const DEFAULT_URL = 'http://127.0.0.1:4000';

export function readSettings(options: GlobalOptions, env: NodeJS.ProcessEnv): Settings {
  return {
    url: serverUrl(options.url ?? (env['PARLEY_URL'] || DEFAULT_URL)),
    org: options.org ?? (env['PARLEY_ORG'] || undefined),
    email: env['PARLEY_EMAIL'] || undefined,
    password: env['PARLEY_PASSWORD'] || undefined,
    token: env['PARLEY_TOKEN'] || undefined,
    apiKey: env['PARLEY_API_KEY'] || undefined,
    configFolder: configFolder(env),
    githubWorkspace: env['GITHUB_ACTIONS'] === 'true' ? (env['GITHUB_WORKSPACE'] ?? process.cwd()) : null,
  };
}

function serverUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure('usage_invalid', 'The server address must be a URL such as https://parley.example.com.');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Failure('usage_invalid', 'The server address must not contain a user, password, query or fragment.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The XDG Base Directory specification requires that a relative XDG_CONFIG_HOME is ignored. */
function configFolder(env: NodeJS.ProcessEnv): string | null {
  if (env['PARLEY_CONFIG_DIR']) return env['PARLEY_CONFIG_DIR'];
  const xdg = env['XDG_CONFIG_HOME'];
  if (xdg && isAbsolute(xdg)) return join(xdg, 'parley');
  return env['HOME'] ? join(env['HOME'], '.config', 'parley') : null;
}
