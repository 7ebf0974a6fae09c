import { Alert, Badge, Button, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Plan } from '../../../../../contract/permissions.ts';
import { useAct } from '../../../api/queries.ts';
import { utcTime } from '../../../language/format.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import classes from './plan-page.module.css';

/** The page is the target of "Upgrade plan" if the installation has no other URL for it. */
export function PlanPage(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const { operator, upgrade_url } = useSession();
  const setPlan = useAct('setPlan', { refresh: ['readSession', 'listKeys'] });
  const [leaving, setLeaving] = useState(false);

  const change = (plan: Plan): void =>
    setPlan.mutate(
      { params: { org_id: organization.id }, body: { plan } },
      {
        onSuccess: ({ effective_at }) => {
          setLeaving(false);
          notifyDone(say('plan_changed', { plan: sayCommon(`plan_${plan}`), time: utcTime(effective_at) }));
        },
      },
    );
  const act = (plan: Plan): ReactNode => {
    if (organization.plan === plan) return <Badge size="lg">{say('current_plan')}</Badge>;
    if (operator)
      return (
        <Button
          variant={plan === 'paid' ? 'filled' : 'default'}
          loading={setPlan.isPending && plan === 'paid'}
          onClick={() => (plan === 'paid' ? change('paid') : setLeaving(true))}
        >
          {say(`change_to_${plan}`)}
        </Button>
      );
    return plan === 'paid' && upgrade_url ? (
      <Button component="a" href={upgrade_url} rel="noreferrer">
        {say('upgrade')}
      </Button>
    ) : null;
  };
  const name = <bdi>{organization.name}</bdi>;
  return (
    <>
      <PageHeader
        title={say('plan')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        description={say.rich('plan_hint', { organization: name })}
      />
      {(operator || organization.plan === 'free') && (
        <Alert icon={<IconInfoCircle size={18} />} mb="lg">
          {operator ? say('plan_operator') : say.rich('plan_ask', { organization: name })}
        </Alert>
      )}
      {setPlan.error && !leaving && <ProblemAlert problem={setPlan.error} />}
      <div className={classes.plans}>
        {(['free', 'paid'] as const).map((plan) => (
          <Card key={plan} title={say(`${plan}_title`)} aside={act(plan)}>
            <Text size="sm">{say(`${plan}_words`)}</Text>
          </Card>
        ))}
      </div>
      <ConfirmDialog
        opened={leaving}
        onClose={() => setLeaving(false)}
        title={say('downgrade_title')}
        act={say('change_to_free')}
        onAct={() => change('free')}
        busy={setPlan.isPending}
        problem={setPlan.error}
      >
        <Text size="sm">{say.rich('downgrade_words', { organization: name })}</Text>
      </ConfirmDialog>
    </>
  );
}
