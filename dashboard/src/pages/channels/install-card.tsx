import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { IconExternalLink, IconInfoCircle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { WebChatSettings } from '../../../../contract/chat.ts';
import type { ChannelDetail, ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import { useWords } from '../../language/words.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyFact, Fact } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useSession } from '../../session/session.ts';
import classes from './install-card.module.css';
import { installWords } from './install-words.ts';
import { RefusedOrigins } from './refused-origins.tsx';

/** Explains how to add a web chat to a site, and shows the chat itself. */
export function InstallCard({ item }: { item: ChannelDetail }): ReactNode {
  const say = useWords(installWords);
  const { base_url } = useSession();
  const { allowed_origins = [], hosted_page = true }: WebChatSettings = item.settings;
  const page = `/chat/${item.id}`;
  return (
    <div className={classes.section}>
      <Card title={say('install')} description={say('install_hint')}>
        <Stack gap="lg">
          <CopyFact
            label={say('tag')}
            value={`<script async src="${base_url}${page}/widget.js"></script>`}
            copyLabel={say('copy_tag')}
          />
          <RefusedOrigins item={item} />
          {allowed_origins.length === 0 ? (
            <Alert color="yellow" icon={<IconInfoCircle size={18} />}>
              {say('no_sites')}
            </Alert>
          ) : (
            <Fact label={say('sites')}>
              <ul className={classes.sites}>
                {allowed_origins.map((origin) => (
                  <li key={origin}>
                    <code dir="ltr">{origin}</code> <SiteState at={reachedAt(item, origin)} />
                  </li>
                ))}
              </ul>
              <Text size="sm" c="dimmed">
                {say('sites_hint')}
              </Text>
            </Fact>
          )}
          <Text size="sm" c="dimmed">
            {say('policy', { base: `\u2066${base_url}\u2069` })}
          </Text>
          {hosted_page ? (
            <div>
              <CopyFact label={say('page')} value={base_url + page} copyLabel={say('copy_page')} />
              <Text size="sm" c="dimmed">
                {say('page_hint')}{' '}
                <Anchor href={page} target="_blank" rel="noopener" inherit>
                  {say('open_page')} <IconExternalLink size={14} aria-hidden="true" />
                </Anchor>
              </Text>
            </div>
          ) : (
            <Fact label={say('page')}>{say('no_page')}</Fact>
          )}
        </Stack>
      </Card>
      {hosted_page && <Preview item={item} page={page} />}
    </div>
  );
}

const reachedAt = (item: ChannelDetail, of: string): string | undefined =>
  item.reached_origins.find(({ origin }) => origin === of)?.reached_at;

/** Whether a page of the site has reached this server, and what to check if not. */
function SiteState({ at }: { at: string | undefined }): ReactNode {
  const say = useWords(installWords);
  return (
    <Text size="sm" c="dimmed" component="span" role="status">
      {at ? say.rich('reached', { when: <Moment at={at} /> }) : say('not_reached')}
    </Text>
  );
}

/** The chat's page in a frame. It includes all saved changes. */
function Preview({ item, page }: { item: ChannelRecord; page: string }): ReactNode {
  const say = useWords(installWords);
  const [isShown, setShown] = useState(false);
  return (
    <div className={classes.section}>
      <Card
        title={say('preview')}
        description={say(item.enabled ? 'preview_hint' : 'off')}
        aside={
          item.enabled && (
            <Button variant="default" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {say(isShown ? 'hide' : 'show')}
            </Button>
          )
        }
      >
        {isShown && item.enabled && (
          <iframe
            key={item.updated_at}
            className={classes.frame}
            title={say('frame')}
            src={`${page}?lang=${say.language}`}
          />
        )}
      </Card>
    </div>
  );
}
