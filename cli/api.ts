import {
  type AnswerOf,
  type BodyOf,
  DASHBOARD_BASE,
  DASHBOARD_ROUTES,
  type DashboardRouteName,
  type QueryOf,
} from '../contract/dashboard/routes.ts';
import { MAX_PAGE } from '../contract/limits.ts';
import { Failure, Refused } from './failure.ts';
import { forgetSession, loadSession, saveSession } from './session-file.ts';
import type { Settings } from './settings.ts';
import { type Answer, type Call, callServer, downloadFrom } from './transport.ts';

/** The server sets this cookie in src/access/sessions/device-cookie.ts. */
const DEVICE_COOKIE = '__Host-parley_device=';

export type Row = Record<string, unknown>;
export type Page = { data: Row[]; next_cursor: string | null };
/** The rows of a list that a command asks for. Without `all` and `limit`, the list has DEFAULT_ROWS rows. */
export type ListWant = { all?: boolean; limit?: number };

type Input<N extends DashboardRouteName> = {
  /** The values for the parameters of the path, of which `org_id` is set automatically. */
  ids?: Record<string, string>;
  body?: BodyOf<N>;
  query?: QueryOf<N>;
};
type ListName = Extract<DashboardRouteName, `list${string}`>;

/**
 * The client through which the commands call the server. The client signs in when necessary and determines the
 * organization.
 */
export type Api = {
  /** Calls one route of the dashboard's API (contract/dashboard/routes.ts). */
  call<N extends DashboardRouteName>(name: N, input?: Input<N>): Promise<AnswerOf<N>>;
  /** Reads a list page by page. */
  list<N extends ListName>(name: N, want: ListWant, input?: Input<N>): Promise<Page>;
  /** Reads a file from the server in chunks. */
  download<N extends DashboardRouteName>(name: N, input: Input<N>, to: (chunk: Buffer) => Promise<void>): Promise<void>;
  /** Calls a path of the public API with PARLEY_API_KEY. */
  public(call: Call): Promise<Answer>;
  /** The command asks for `code` if the account has a second factor. */
  signIn(email: string, password: string, code: () => Promise<string>): Promise<void>;
  signOut(): Promise<void>;
  /** Ends a session that this command opened, so that no session stays on the server. */
  close(): Promise<void>;
};

/** The number of rows without --all. This number is enough for most readers and limits accidental long lists. */
export const DEFAULT_ROWS = 1_000;

export function createApi(settings: Settings): Api {
  const { url, configFolder, email, password, token } = settings;
  let cookie: string | null = null;
  let onlyForThisCommand = false;
  let organization: string | null = settings.org ?? null;

  const post = <N extends 'signIn' | 'signInWithCode'>(name: N, body: BodyOf<N>): Promise<Answer> => {
    const { method, path } = DASHBOARD_ROUTES[name];
    const known = deviceOf(loadSession(configFolder, url)?.cookie);
    const call: Call = { method, path: DASHBOARD_BASE + path, body };
    return callServer(url, fromOwnPage(known === undefined ? call : { ...call, headers: { cookie: known } }));
  };

  const signIn = async (as: string, secret: string, code: () => Promise<string>): Promise<string> => {
    let answer = await post('signIn', { email: as, password: secret });
    const session = answer.body as AnswerOf<'signIn'>;
    if ('challenge' in session)
      answer = await post('signInWithCode', { challenge: session.challenge, code: await code() });
    const given = cookieOf(answer);
    const known = deviceOf(given) === undefined ? deviceOf(loadSession(configFolder, url)?.cookie) : undefined;
    cookie = known === undefined ? given : `${given}; ${known}`;
    return cookie;
  };

  /** The server accepts changes only from its own pages, which this header identifies. */
  const fromOwnPage = (call: Call): Call =>
    call.method === 'GET' ? call : { ...call, headers: { ...call.headers, origin: new URL(url).origin } };

  const ensureSession = async (): Promise<string> => {
    if (cookie === null && email !== undefined && password !== undefined) {
      await signIn(email, password, noCode);
      onlyForThisCommand = true;
    }
    cookie ??= loadSession(configFolder, url)?.cookie ?? null;
    if (cookie !== null) return cookie;
    throw new Failure(
      'session_missing',
      `Not signed in to ${url}: run "./parley login", or set PARLEY_TOKEN to an access token.`,
    );
  };

  const organizationId = async (): Promise<string> => {
    organization ??= onlyOrganization((await call('readSession')).organizations);
    return organization;
  };

  const callOf = async <N extends DashboardRouteName>(name: N, input: Input<N>): Promise<Call> => {
    const { method, path } = DASHBOARD_ROUTES[name];
    // A command with an access token needs no session. Signing out with a token still ends the stored session.
    const headers: Record<string, string> =
      token !== undefined && name !== 'signOut'
        ? { authorization: `Bearer ${token}` }
        : { cookie: await ensureSession() };
    const filled = await fill(path, input.ids ?? {}, organizationId);
    const { body, query } = input as Call;
    return fromOwnPage({ method, path: DASHBOARD_BASE + filled, body, query, headers });
  };

  const call: Api['call'] = async (name, input = {}) => {
    const answer = await callServer(url, await callOf(name, input));
    return answer.body as AnswerOf<typeof name>;
  };

  return {
    call,
    list: (name, want, input = {}) =>
      collect(want, async (cursor, limit) => {
        // Lists without pages accept no query parameters.
        const paged = 'query' in DASHBOARD_ROUTES[name] ? { ...input.query, limit, cursor } : undefined;
        return (await call(name, { ...input, query: paged } as Input<typeof name>)) as unknown as Page;
      }),
    download: async (name, input, to) => downloadFrom(url, await callOf(name, input), to),
    async public(publicCall) {
      if (settings.apiKey === undefined) {
        throw new Failure('usage_invalid', 'Set PARLEY_API_KEY to a key that has the permission for this command.');
      }
      const headers = { ...publicCall.headers, authorization: `Bearer ${settings.apiKey}` };
      return callServer(url, { ...publicCall, headers });
    },
    async signIn(as, secret, code) {
      await saveSession(configFolder, url, {
        email: as,
        cookie: await signIn(as, secret, code),
        saved_at: new Date().toISOString(),
      });
    },
    async signOut() {
      cookie = loadSession(configFolder, url)?.cookie ?? null;
      if (cookie === null) return;
      await call('signOut').catch((error: unknown) => {
        // The local session is removed even if the session no longer exists on the server.
        if (!(error instanceof Refused && error.code === 'session_missing')) throw error;
      });
      await forgetSession(configFolder, url);
    },
    async close() {
      // The command succeeds in both cases, because a session that remains on the server expires.
      if (onlyForThisCommand) await call('signOut').catch(() => {});
    },
  };
}

/**
 * Scripts that sign in for each command cannot use a second factor, because a code is valid once and comes from an app.
 */
const noCode = (): Promise<string> =>
  Promise.reject(
    new Failure(
      'second_factor_required',
      'This account has a second factor: run "./parley login" once and unset PARLEY_EMAIL and PARLEY_PASSWORD, or set PARLEY_TOKEN to an access token.',
    ),
  );

async function fill(path: string, ids: Record<string, string>, organizationId: () => Promise<string>): Promise<string> {
  const organization = path.includes(':org_id') ? (ids['org_id'] ?? (await organizationId())) : '';
  return path.replaceAll(/:(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(name === 'org_id' ? organization : (ids[name] ?? '')),
  );
}

/** Reads pages until the list has enough rows. `next_cursor` stays set if the server has more rows. */
async function collect(
  want: ListWant,
  read: (cursor: string | undefined, limit: number) => Promise<Page>,
): Promise<Page> {
  const most = want.all ? Infinity : (want.limit ?? DEFAULT_ROWS);
  const data: Row[] = [];
  let next: string | null = null;
  do {
    const page: Page = await read(next ?? undefined, Math.min(MAX_PAGE, most - data.length));
    data.push(...page.data);
    next = page.next_cursor ?? null;
  } while (next !== null && data.length < most);
  // A list without pages has all its rows.
  return { data: data.slice(0, most), next_cursor: next };
}

function onlyOrganization(organizations: AnswerOf<'readSession'>['organizations']): string {
  const [first, ...others] = organizations;
  if (first === undefined) {
    throw new Failure(
      'organization_missing',
      'You are in no organization yet: create one with "./parley orgs create --name NAME", or choose one with --org ID.',
    );
  }
  if (others.length === 0) return first.id;
  const lines = organizations.map((one) => `  ${one.id}  ${one.name}`);
  throw new Failure(
    'organization_ambiguous',
    ['You are in several organizations: choose one with --org ID or PARLEY_ORG.', ...lines].join('\n'),
  );
}

/**
 * The device cookie proves that this machine signed in before, so that strangers who guess passwords cannot lock the
 * account on this machine.
 */
const deviceOf = (cookie: string | undefined): string | undefined =>
  cookie?.split('; ').find((pair) => pair.startsWith(DEVICE_COOKIE));

/** Converts Set-Cookie headers into one Cookie header with names and values only. */
function cookieOf(answer: Answer): string {
  return answer.cookies
    .map((line) => line.split(';', 1)[0]!.trim())
    .filter((pair) => !pair.endsWith('='))
    .join('; ');
}
