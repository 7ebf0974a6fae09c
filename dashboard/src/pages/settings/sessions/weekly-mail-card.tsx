import { Button, Stack, Switch, Text } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { useAct, useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './weekly-mail-texts.ts';

/** The card sets the weekly mail of the current organization. */
export function WeeklyMailCard(): ReactNode {
  const say = useTexts(texts);
  const { id: org_id, name } = useOrganization();
  const { data, error } = useRead('readWeeklyMail', { params: { org_id } });
  const set = useAct('setWeeklyMail', { refresh: ['readWeeklyMail'] });
  const field = useRef<HTMLInputElement>(null);
  const here = { time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, language: say.language };
  const save = (wanted: boolean, done: string): void =>
    set.mutate({ params: { org_id }, body: { wanted, ...here } }, { onSuccess: () => notifyDone(done) });
  const isElsewhere = data && (data.time_zone !== here.time_zone || data.language !== here.language);
  const problem = set.error ?? error;
  return (
    <Card title={say('weekly')} description={say.rich('weekly_hint', { organization: <bdi>{name}</bdi> })}>
      <Stack align="flex-start">
        <Switch
          ref={field}
          label={say('send_me')}
          checked={data?.wanted ?? false}
          disabled={!data?.sends}
          onChange={({ currentTarget: { checked } }) => save(checked, say(checked ? 'on' : 'off'))}
        />
        {data && (
          <Text size="sm" c="dimmed">
            {data.sends
              ? data.wanted &&
                say.rich(data.language === 'ar' ? 'when_ar' : 'when', { zone: <bdi>{data.time_zone}</bdi> })
              : say('sends_none')}
          </Text>
        )}
        {data?.sends && data.wanted && isElsewhere && (
          <Button
            variant="default"
            size="compact-sm"
            loading={set.isPending}
            onClick={() => {
              // The button disappears after its action, so the focus moves to the field.
              field.current?.focus();
              save(true, say('changed'));
            }}
          >
            {say('as_here')}
          </Button>
        )}
        {problem && <ProblemAlert problem={problem} />}
      </Stack>
    </Card>
  );
}
