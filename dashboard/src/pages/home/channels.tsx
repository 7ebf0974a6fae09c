import { Anchor, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts } from './statistics-texts.ts';

/** Lists the channels that do not work, by name. */
export function Channels(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { data, isPending } = useRead('listChannels', { params: { org_id }, query: { limit: 100 } });
  const broken = data?.data.filter(({ enabled, status }) => enabled && status === 'broken') ?? [];
  if (isPending) return <Skeleton h={20} w={160} mt="md" />;
  if (!data || data.data.length === 0) return null;
  return (
    <Text size="sm" mt="md" component="div" c={broken.length > 0 ? 'red' : 'dimmed'}>
      {broken.length === 0 ? say('channels_work') : say('channels_broken')}{' '}
      {broken.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ' · '}
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/channels/$channel_id" params={{ channel_id: id }} {...props} />}
          >
            <bdi>{name}</bdi>
          </Anchor>
        </span>
      ))}
    </Text>
  );
}
