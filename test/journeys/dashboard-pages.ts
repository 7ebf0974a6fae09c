import { readFileSync } from 'node:fs';
import { AGENT_TABS } from '../../dashboard/src/pages/agents/search.ts';
import { CAMPAIGN_TABS } from '../../dashboard/src/pages/campaigns/search.ts';
import { signLink } from '../../src/access/sessions/signed-link.ts';
import { findPersonByEmail } from '../../src/store/accounts/accounts.ts';
import { readPasswordHash } from '../../src/store/accounts/passwords.ts';
import { type Journey, OWNER } from './dashboard-browser.ts';

/**
 * Lists every page of the dashboard's own list of routes. Every test of all pages checks a new page, and fails for a
 * page with unknown parameters.
 */
const CONTENTS = new URL('../../dashboard/src/routes.tsx', import.meta.url);
const DECLARED = /createRoute\(\{ getParentRoute: \(\) => (\w+), path: '([^']+)'(.*)$/gm;

/** The children of this branch have only the end of the path. */
const BRANCHES: Readonly<Record<string, string>> = { conversations: '/conversations' };

/** Only people who are not signed in can open a front page. */
export const isFront = (path: string): boolean =>
  /^\/(?:sign-in|setup|invitations|password|forgot|weekly-mail)\b/.test(path);

export function declaredPaths(): string[] {
  const paths = [...readFileSync(CONTENTS, 'utf8').matchAll(DECLARED)]
    .filter(([, , , rest]) => !rest!.includes('throw redirect'))
    .map(([, parent, path]) => {
      const base = BRANCHES[parent!] ?? '';
      if (base === '' || path === '/') return base || path!;
      return `${base}/${path!}`;
    });
  return [...new Set(paths)];
}

export type Subjects = Readonly<Record<string, string>>;

const TABS: Readonly<Record<string, readonly string[]>> = {
  '/agents/$agent_id': AGENT_TABS,
  '/campaigns/$campaign_id': CAMPAIGN_TABS,
};

/** Returns the paths with IDs of existing records. Each tab counts as a page. */
export function pagesOf(subjects: Subjects): string[] {
  return declaredPaths().flatMap((declared) => {
    const path = declared.replace(/\$(\w+)/g, (_, name: string) => {
      const id = subjects[name];
      if (id === undefined) throw new Error(`${declared}: this test makes no ${name} yet`);
      return id;
    });
    return (TABS[declared] ?? ['']).map((tab) => (tab === '' ? path : `${path}?tab=${tab}`));
  });
}

/** Creates one record of every kind that has a page. */
export async function makeSubjects(journey: Journey): Promise<Subjects & { org: string; cookie: string }> {
  const { cookie, orgId } = await journey.owner();
  const org = `/organizations/${orgId}`;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  const make = async (path: string, body: unknown): Promise<any> => {
    const answer = await journey.api(`POST ${org}${path}`, body, cookie);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const agent = await make('/agents', {
    name: 'Concierge',
    definition: {
      instructions: 'Be brief.',
      opening: { default: 'Hello {{end_user.name}}', ar: 'مرحبًا {{end_user.name}}' },
      steps: {
        items: [
          {
            name: 'day',
            type: 'choice',
            ask: { default: 'Which day?' },
            choices: [{ id: 'a', label: { default: 'Monday' } }],
          },
        ],
        start: 'by_rule',
      },
      rules: [{ name: 'Refund', words: ['refund'], reply: { default: 'Within 14 days.' }, tag: 'refund' }],
      tools: [
        {
          name: 'lookup',
          description: 'Looks up an order',
          parameters: { type: 'object' },
          url: 'https://tools.example/lookup',
        },
      ],
    },
  });
  await make(`/agents/${agent.id}/documents`, { name: 'Shop guide', text: 'Delivery costs 15 riyals.' });
  const trigger = await make('/triggers', {
    agent_id: agent.id,
    name: 'Order update',
    variables: [{ name: 'order_id', type: 'string', required: true }],
  });
  const run = await make(`/triggers/${trigger.id}/test`, {
    end_user: { external_id: 'crm-42', name: 'Asha', attributes: { tier: 'gold' } },
    variables: { order_id: 'A-1043' },
    message: 'What does delivery cost?',
  });
  const campaign = await make('/campaigns', {
    agent_id: agent.id,
    channel_id: agent.sandbox_channel_id,
    name: 'Autumn',
  });
  await make('/keys', { label: 'Campaign', scope: 'campaign', campaign_id: campaign.id, permissions: ['campaigns'] });
  const key = await make('/keys', { label: 'Backend', scope: 'agent', agent_id: agent.id, permissions: ['triggers'] });
  await journey.app.call('GET', '/api/me', { key: key.value });
  const endpoint = await make('/webhooks', { url: 'https://hooks.example/parley', description: 'CRM' });
  await make(`/webhooks/${endpoint.id}/test`, undefined);
  const { url } = await make('/invitations', { email: 'guest@example.com', role: 'member' });
  return {
    org,
    cookie,
    agent_id: agent.id,
    trigger_id: trigger.id,
    channel_id: agent.sandbox_channel_id,
    campaign_id: campaign.id,
    conversation_id: run.conversation_id,
    end_user_id: run.end_user_id,
    key_id: key.id,
    endpoint_id: endpoint.id,
    invitation: new URL(url).pathname.split('/').at(-1)!,
    link: await passwordLinkOf(journey, OWNER),
  };
}

const SOON_MS = 60_000;

async function passwordLinkOf({ app }: Journey, email: string): Promise<string> {
  const { id: userId } = (await findPersonByEmail(app.db, email))!;
  const hash = (await readPasswordHash(app.db, userId))!;
  return signLink(app.secrets.setupKey, 'password', { userId, expiresAt: new Date(Date.now() + SOON_MS) }, hash);
}
