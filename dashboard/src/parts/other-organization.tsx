import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, Problem, type CallInput } from '../api/client.ts';
import { defineTexts, useTexts } from '../language/texts.tsx';
import { chooseOrganization, useOrganization, useSession, type Organization } from '../session/session.ts';

const texts = defineTexts(
  { belongs: 'It belongs to {organization}, where you are a member too.', open: 'Switch to {organization}' },
  { belongs: 'هذا يتبع {organization}، وأنت عضو فيها أيضًا.', open: 'الانتقال إلى {organization}' },
);

/** The routes that read the record of a URL, by the name of the path parameter. */
const READS = {
  agent_id: 'readAgent',
  trigger_id: 'readTrigger',
  channel_id: 'readChannel',
  campaign_id: 'readCampaign',
  conversation_id: 'readConversation',
  end_user_id: 'readEndUser',
  key_id: 'readKey',
  endpoint_id: 'readWebhook',
} as const;
type Named = keyof typeof READS;

/** At most this many organizations are searched, because each organization needs a call. */
const MAX_ASKED = 20;

/**
 * The notice is shown if a page finds nothing, because the link may come from another organization of the user. The
 * notice offers to switch to the organization of the link.
 */
export function OtherOrganization(): ReactNode {
  const say = useTexts(texts);
  const { organizations } = useSession();
  const here = useOrganization().id;
  const params: Partial<Record<Named, string>> = useParams({ strict: false });
  const name = (Object.keys(READS) as Named[]).find((one) => params[one] !== undefined);
  const others = organizations.filter(({ id }) => id !== here).slice(0, MAX_ASKED);
  const found = useQuery({
    queryKey: ['elsewhere', here, params],
    enabled: name !== undefined && others.length > 0,
    queryFn: ({ signal }) => whereIs(others, name!, params[name!]!, signal),
    staleTime: Infinity,
  });
  if (!found.data) return null;
  const { id, name: organization } = found.data;
  const named = { organization: `\u2068${organization}\u2069` };
  return (
    <Group mt="md" gap="md" role="status">
      <Text size="sm">{say('belongs', named)}</Text>
      <Button
        variant="default"
        h="auto"
        mih={36}
        py={6}
        styles={{ label: { whiteSpace: 'normal', lineHeight: 1.35 } }}
        onClick={() => chooseOrganization(id)}
      >
        {say('open', named)}
      </Button>
    </Group>
  );
}

async function whereIs(
  organizations: readonly Organization[],
  name: Named,
  id: string,
  signal: AbortSignal,
): Promise<Organization | null> {
  for (const one of organizations) {
    const input = { params: { org_id: one.id, [name]: id }, signal } as CallInput<(typeof READS)[Named]>;
    try {
      await call(READS[name], input);
      return one;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return null;
}
