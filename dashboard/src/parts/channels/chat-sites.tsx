import { Alert, Anchor, Loader, Text } from '@mantine/core';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { WebChatSettings } from '../../../../contract/chat.ts';
import type { ChannelDetail } from '../../../../contract/dashboard/channels.ts';
import { useTexts } from '../../language/texts.tsx';
import { useSession } from '../../session/session.ts';
import { CopyFact } from '../fact.tsx';
import { Moment } from '../moment.tsx';
import { installTexts } from './install-texts.ts';
import { RefusedOrigins } from './refused-origins.tsx';
import classes from './chat-sites.module.css';

/** The path of the page that shows only the chat. */
export const chatPage = (id: string): string => `/chat/${id}`;

/** Returns the line of HTML that shows the chat on a site. */
export function ScriptTag({ id }: { id: string }): ReactNode {
  const say = useTexts(installTexts);
  const { base_url } = useSession();
  return (
    <CopyFact
      label={say('tag')}
      value={`<script async src="${base_url}${chatPage(id)}/widget.js"></script>`}
      copyLabel={say('copy_tag')}
    />
  );
}

/** Shows for each site whether one of its pages has reached this server, and what is wrong if not. */
export function ChatSites({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(installTexts);
  const { base_url } = useSession();
  const { allowed_origins: allowed = [] }: WebChatSettings = item.settings;
  const isReached = item.reached_origins.length > 0;
  return (
    <>
      <RefusedOrigins item={item} />
      {allowed.length === 0 ? (
        <Alert color="yellow" icon={<IconInfoCircle size={18} />}>
          {say('no_sites')}
        </Alert>
      ) : (
        <div role="status">
          <Text size="xs" c="dimmed" mb={4}>
            {say('sites')}
          </Text>
          <ul className={classes.sites}>
            {allowed.map((origin) => (
              <Site key={origin} origin={origin} at={reachedAt(item, origin)} />
            ))}
          </ul>
        </div>
      )}
      {!isReached && allowed.length > 0 && (
        <details className={classes.help}>
          <summary>{say('not_there')}</summary>
          <ul>
            <li>{say('check_published')}</li>
            <li>{say('check_cache')}</li>
            <li>{say('check_address')}</li>
            <li>{say('policy', { base: `\u2066${base_url}\u2069` })}</li>
            {base_url.startsWith('http://') && <li>{say('check_https')}</li>}
          </ul>
        </details>
      )}
    </>
  );
}

const reachedAt = (item: ChannelDetail, of: string): string | undefined =>
  item.reached_origins.find(({ origin }) => origin === of)?.reached_at;

function Site({ origin, at }: { origin: string; at: string | undefined }): ReactNode {
  const say = useTexts(installTexts);
  return (
    <li data-reached={at !== undefined || undefined}>
      {at ? (
        <IconCircleCheck size={18} color="var(--accent)" aria-hidden="true" />
      ) : (
        <Loader size={14} aria-hidden="true" />
      )}
      <span>
        <code dir="ltr">{origin}</code>
        <Text size="sm" c="dimmed">
          {at ? say.rich('reached', { when: <Moment at={at} /> }) : say('not_reached')}
        </Text>
      </span>
    </li>
  );
}

/** Shows whether a visitor has written. The chat card links to the chat's own page, where the owner can write first. */
export function FirstVisitor({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(installTexts);
  const { hosted_page = true }: WebChatSettings = item.settings;
  return (
    <div className={classes.state} role="status">
      {item.received ? (
        <>
          <IconCircleCheck size={19} color="var(--accent)" aria-hidden="true" />
          <span>
            {say('first_seen')}{' '}
            <Anchor
              inherit
              renderRoot={(props) => <Link to="/conversations" search={{ channel_id: item.id }} {...props} />}
            >
              {say('to_conversations')}
            </Anchor>
          </span>
        </>
      ) : (
        <>
          <Loader size={16} aria-hidden="true" />
          <span>
            {say('waiting')}{' '}
            {hosted_page && (
              <Anchor href={chatPage(item.id)} target="_blank" rel="noopener" inherit>
                {say('write_first')}
              </Anchor>
            )}
          </span>
        </>
      )}
    </div>
  );
}
