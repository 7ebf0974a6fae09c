import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts } from './statistics-texts.ts';

/** Lists agents with a changed tool that is not approved yet, by name. */
export function ChangedTools(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { data } = useRead('listAgents', { params: { org_id }, query: { limit: 100 } });
  const agents = data?.data.filter(({ enabled, changed_tools: changed }) => enabled && changed.length > 0) ?? [];
  if (agents.length === 0) return null;
  return (
    <Text size="sm" mt="xs" component="div" c="red">
      {say('tools_changed')}{' '}
      {agents.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ' · '}
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/agents/$agent_id" params={{ agent_id: id }} search={{ tab: 'tools' }} {...props} />
            )}
          >
            <bdi>{name}</bdi>
          </Anchor>
        </span>
      ))}
    </Text>
  );
}
