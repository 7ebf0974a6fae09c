import { Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { factorTexts } from '../sessions/factor-texts.ts';

/**
 * The card sets whether members need a second factor. Only an owner who has a second factor can change this setting.
 */
export function SecondFactorCard(): ReactNode {
  const say = useTexts(factorTexts);
  const { id, name } = useOrganization();
  const may = useMay('owner');
  const organization = useRead('readOrganization', { params: { org_id: id } });
  const require = useAct('requireSecondFactor', { refresh: ['readOrganization', 'readSession'] });
  const problem = require.error ?? organization.error;
  return (
    <Card title={say('required')} description={say.rich('required_hint', { organization: <bdi>{name}</bdi> })}>
      <Stack>
        <Switch
          label={say('required_label')}
          checked={organization.data?.requires_second_factor ?? false}
          disabled={!may || require.isPending || !organization.data}
          onChange={({ currentTarget: { checked: required } }) =>
            require.mutate(
              { params: { org_id: id }, body: { required } },
              { onSuccess: () => notifyDone(say(required ? 'required_on' : 'required_off')) },
            )
          }
        />
        {!may && (
          <Text size="sm" c="dimmed">
            {say('required_owner')}
          </Text>
        )}
        {problem && <ProblemAlert problem={problem} />}
      </Stack>
    </Card>
  );
}
