import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MAX_DOCUMENTS_PER_AGENT } from '../contract/dashboard/agents.ts';
import { MAX_BUDGETS, MAX_PRICES } from '../contract/dashboard/costs.ts';
import { MAX_CONVERSATION_TAGS } from '../contract/dashboard/conversations.ts';
import { MAX_SOURCES_PER_ORGANIZATION } from '../contract/dashboard/document-sources.ts';
import { MAX_SAVED_REPLIES } from '../contract/dashboard/saved-replies.ts';
import { MAX_SEGMENTS } from '../contract/dashboard/segments.ts';
import { MAX_TOOL_SECRETS } from '../contract/dashboard/tools.ts';
import { MAX_WEBHOOKS } from '../contract/dashboard/webhooks.ts';
import { MAX_ATTRIBUTES, MAX_TAGS } from '../contract/end-users.ts';
import {
  MAX_ALLOWED_NETWORKS,
  MAX_ATTACHMENT_BYTES,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  MAX_JSON_DEPTH,
  MAX_JSON_KEYS,
  MAX_MESSAGE_CHARACTERS,
  MAX_NOTES,
  MAX_PAGE,
  REQUEST_TIMEOUT_MS,
} from '../contract/limits.ts';
import { ATTACHMENTS_BYTES, KNOWLEDGE_BYTES } from '../contract/plans.ts';
import { MAX_AGENTS } from '../src/features/agents/deps.ts';
import { MAX_CHANNELS_PER_AGENT } from '../src/features/channels/deps.ts';
import { MAX_SCHEDULE_DAYS } from '../src/kernel/validation/read-send-at.ts';
import { MAX_OPEN_INVITATIONS } from '../src/store/members/invitations.ts';
import { MAX_MEMBERS } from '../src/store/members/members.ts';
import { MAX_SIGN_IN_DOMAINS } from '../src/store/sign-in/domains.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../docs/errors.md'), 'utf8');
const table = page.slice(page.indexOf('\n## Limits\n'));

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

const ROWS: [row: string, limits: [limit: number, what: string][]][] = [
  [
    'a call',
    [
      [MAX_BODY_BYTES / KIB, 'KiB,'],
      [MAX_HEADER_BYTES / KIB, 'KiB, JSON'],
      [MAX_JSON_DEPTH, 'levels'],
      [MAX_JSON_KEYS, 'keys'],
      [REQUEST_TIMEOUT_MS / 1_000, 'seconds'],
    ],
  ],
  ['a message', [[MAX_MESSAGE_CHARACTERS, 'characters']]],
  ['`send_at`', [[MAX_SCHEDULE_DAYS, 'days']]],
  ['a page of a list', [[MAX_PAGE, 'entries']]],
  [
    'an organization',
    [
      [MAX_AGENTS, 'agents'],
      [MAX_MEMBERS, 'members'],
      [MAX_OPEN_INVITATIONS, 'open invitations'],
      [MAX_WEBHOOKS, 'webhook endpoints'],
      [MAX_SOURCES_PER_ORGANIZATION, 'sites'],
      [MAX_SEGMENTS, 'segments'],
      [MAX_SAVED_REPLIES, 'saved replies'],
      [MAX_BUDGETS, 'budgets'],
      [MAX_PRICES, 'prices'],
      [MAX_SIGN_IN_DOMAINS, 'domains'],
    ],
  ],
  [
    'an agent',
    [
      [MAX_CHANNELS_PER_AGENT, 'channels'],
      [MAX_DOCUMENTS_PER_AGENT, 'documents'],
      [MAX_TOOL_SECRETS, 'secrets'],
    ],
  ],
  [
    'text of documents',
    [
      [KNOWLEDGE_BYTES.paid.agent / MIB, 'MiB for an agent'],
      [KNOWLEDGE_BYTES.paid.organization / MIB, 'MiB for an organization'],
      [KNOWLEDGE_BYTES.free.agent / MIB, 'MiB and'],
      [KNOWLEDGE_BYTES.free.organization / MIB, 'MiB |'],
    ],
  ],
  [
    'files of conversations',
    [
      [MAX_ATTACHMENT_BYTES / MIB, 'MiB for a file'],
      [ATTACHMENTS_BYTES.paid / GIB, 'GiB for an organization'],
      [ATTACHMENTS_BYTES.free / GIB, 'GiB |'],
    ],
  ],
  [
    'a conversation',
    [
      [MAX_NOTES, 'notes'],
      [MAX_CONVERSATION_TAGS, 'tags'],
    ],
  ],
  [
    'an end user',
    [
      [MAX_ATTRIBUTES, 'attributes'],
      [MAX_TAGS, 'tags'],
    ],
  ],
  ['a key', [[MAX_ALLOWED_NETWORKS, 'allowed networks']]],
];

test.each(ROWS)('the documented limits of %s are those of the code', (row, limits) => {
  const line = table.split('\n').find((each) => each.startsWith(`| ${row} |`));
  for (const [limit, what] of limits) expect(line).toContain(` ${limit.toLocaleString('en')} ${what}`);
});
