import { Anchor, Button, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { WebChatSettings } from '../../../../contract/chat.ts';
import type { ChannelDetail, ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import { useTexts } from '../../language/texts.tsx';
import { chatPage, ChatSites, FirstVisitor, ScriptTag } from '../../parts/channels/chat-sites.tsx';
import { installTexts } from '../../parts/channels/install-texts.ts';
import { Card } from '../../parts/card.tsx';
import { CopyFact, Fact } from '../../parts/fact.tsx';
import { useSession } from '../../session/session.ts';
import classes from './install-card.module.css';

/** Explains how to add a web chat to a site, and shows the chat itself. */
export function InstallCard({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(installTexts);
  const { base_url } = useSession();
  const { hosted_page = true }: WebChatSettings = item.settings;
  const page = chatPage(item.id);
  return (
    <div className={classes.section}>
      <Card title={say('install')} description={say('install_hint')}>
        <Stack gap="lg">
          <ScriptTag id={item.id} />
          <ChatSites item={item} />
          <FirstVisitor item={item} />
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

/** The frame shows the chat's own page. The chat in the frame includes all saved changes. */
function Preview({ item, page }: { item: ChannelRecord; page: string }): ReactNode {
  const say = useTexts(installTexts);
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
