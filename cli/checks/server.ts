import type { Api } from '../api.ts';
import { Failure, Refused } from '../failure.ts';
import type { Settings } from '../settings.ts';
import { type Answer, callServer } from '../transport.ts';
import type { Check } from './check.ts';

/**
 * The signatures of webhooks tolerate a clock difference of 5 minutes. Half of `MAX_CLOCK_SKEW_MS` already makes the
 * times in logs misleading.
 */
const MAX_CLOCK_SKEW_MS = 5_000;

/**
 * Checks the server at PARLEY_URL by the server's own reports. If the server does not respond, the first check fails
 * and the list ends.
 */
export async function checkServer(api: Api, settings: Settings): Promise<Check[]> {
  const asked = Date.now();
  let health: Answer;
  try {
    health = await callServer(settings.url, { method: 'GET', path: '/api/health' });
  } catch (error) {
    return [
      { name: 'server', status: 'fail', ...problemOf(error), fix: 'Start Parley with npm start, or set PARLEY_URL.' },
    ];
  }
  return [
    { name: 'server', status: 'ok', detail: `Responds at ${settings.url}.` },
    checkClock(health, (asked + Date.now()) / 2),
    await checkReady(settings),
    await checkVersion(settings),
    ...(await checkSession(api, settings)),
  ];
}

const problemOf = (error: unknown): { detail: string } => ({
  detail: error instanceof Error ? error.message : String(error),
});

function checkClock(health: Answer, here: number): Check {
  const { timestamp } = health.body as { timestamp?: string };
  const skew = Math.abs(Date.parse(timestamp ?? '') - here);
  if (Number.isNaN(skew)) {
    return {
      name: 'clock',
      status: 'fail',
      detail: 'The response of /api/health has no time.',
      fix: 'Check PARLEY_URL: the server may not be Parley.',
    };
  }
  if (skew <= MAX_CLOCK_SKEW_MS)
    return { name: 'clock', status: 'ok', detail: 'The clocks of the server and this machine agree.' };
  const seconds = Math.round(skew / 1000);
  return {
    name: 'clock',
    status: 'warn',
    detail: `The clocks of the server and this machine differ by ${seconds} s.`,
    fix: 'Synchronize both clocks with a time server (NTP).',
  };
}

async function checkReady(settings: Settings): Promise<Check> {
  try {
    await callServer(settings.url, { method: 'GET', path: '/ready' });
    return { name: 'ready', status: 'ok', detail: 'The database responds and is migrated.' };
  } catch (error) {
    return {
      name: 'ready',
      status: 'fail',
      ...problemOf(error),
      fix: "Look at the server's log; check that its database runs.",
    };
  }
}

async function checkVersion(settings: Settings): Promise<Check> {
  try {
    const { body } = await callServer(settings.url, { method: 'GET', path: '/api/openapi.json' });
    const { info } = body as { info?: { version?: string } };
    return { name: 'version', status: 'ok', detail: `The server is version ${info?.version ?? 'unknown'}.` };
  } catch (error) {
    return { name: 'version', status: 'warn', ...problemOf(error) };
  }
}

async function checkSession(api: Api, settings: Settings): Promise<Check[]> {
  try {
    const session = await api.call('readSession');
    const count = session.organizations.length;
    const who = `${session.user.email}, region ${session.region}, ${count} ${count === 1 ? 'organization' : 'organizations'}.`;
    return [
      { name: 'session', status: 'ok', detail: `Signed in as ${who}` },
      checkBaseUrl(session.base_url, settings.url),
    ];
  } catch (error) {
    const missing = (error instanceof Failure || error instanceof Refused) && error.code === 'session_missing';
    return [{ name: 'session', status: missing ? 'skipped' : 'fail', ...problemOf(error) }];
  }
}

function checkBaseUrl(baseUrl: string, url: string): Check {
  const same = new URL(baseUrl).origin === new URL(url).origin;
  if (same) return { name: 'base URL', status: 'ok', detail: `The base URL of the server is ${baseUrl}.` };
  return {
    name: 'base URL',
    status: 'warn',
    detail: `The base URL of the server is ${baseUrl}, but you call it at ${url}.`,
    fix: 'Set BASE_URL_<REGION> on the server to the URL that people use.',
  };
}
