import { Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { memberHelpTexts } from './member-help-texts.ts';

const KINDS = ['summary', 'draft', 'translation'] as const;

/** The card sets which calls of a connected model help members in conversations. */
export function MemberHelpCard(): ReactNode {
  const say = useTexts(memberHelpTexts);
  const org_id = useOrganization().id;
  const may = useMay('admin');
  const help = useRead('readMemberHelp', { params: { org_id } });
  const set = useAct('setMemberHelp', { refresh: ['readMemberHelp', 'readConversationHelp', 'listAudit'] });
  const problem = set.error ?? help.error;
  // A request sets all kinds, so it starts from the newest ones, which another member may have changed.
  const change = async (kind: (typeof KINDS)[number], checked: boolean): Promise<void> => {
    const { data: newest, error } = await help.refetch();
    if (!newest || error) return;
    set.mutate(
      { params: { org_id }, body: { ...newest, [kind]: checked } },
      { onSuccess: () => notifyDone(say('saved')) },
    );
  };
  return (
    <Card title={say('title')} description={say('hint')}>
      <Stack>
        {KINDS.map((kind) => (
          <Switch
            key={kind}
            label={say(kind)}
            description={say(`${kind}_hint`)}
            checked={help.data?.[kind] ?? false}
            disabled={!may || set.isPending || !help.data}
            onChange={({ currentTarget: { checked } }) => void change(kind, checked)}
          />
        ))}
        {!may && (
          <Text size="sm" c="dimmed">
            {say('admins')}
          </Text>
        )}
        {problem && <ProblemAlert problem={problem} />}
      </Stack>
    </Card>
  );
}
