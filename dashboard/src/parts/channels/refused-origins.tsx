import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { WebChatSettings } from '../../../../contract/chat.ts';
import type { ChannelDetail } from '../../../../contract/dashboard/channels.ts';
import { useTexts } from '../../language/texts.tsx';
import { Moment } from '../moment.tsx';
import { notifyDone } from '../notify.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { installTexts } from './install-texts.ts';
import { useChangeSettings } from './use-change-settings.ts';

/** Lists sites that tried to show the chat and are not allowed, usually the own site before it is on the list. */
export function RefusedOrigins({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(installTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const update = useChangeSettings({ org_id, channel_id: item.id });
  const allow = (origin: string): void =>
    update.mutate(
      ({ allowed_origins = [], ...others }: WebChatSettings) => ({
        ...others,
        allowed_origins: [...new Set([...allowed_origins, origin])],
      }),
      { onSuccess: () => notifyDone(say('allowed', { origin })) },
    );
  if (item.refused_origins.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
      <Text size="sm" fw={600}>
        {say('refused')}
      </Text>
      <Text size="sm" mb="xs">
        {say('refused_hint')}
      </Text>
      {item.refused_origins.map(({ origin, refused_at }) => (
        <Group key={origin} justify="space-between" gap="xs" mb={4}>
          <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
            <code dir="ltr">{origin}</code> · <Moment at={refused_at} />
          </Text>
          {may && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={say('allow_origin', { origin })}
              loading={update.isPending}
              onClick={() => allow(origin)}
            >
              {say('allow')}
            </Button>
          )}
        </Group>
      ))}
      {update.error && <ProblemAlert problem={update.error} />}
    </Alert>
  );
}
