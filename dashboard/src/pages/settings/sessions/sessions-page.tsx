import { Badge, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useRef, type ReactNode, type RefObject } from 'react';
import type { Problem } from '../../../api/client.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DataList } from '../../../list/data-list.tsx';
import { Card } from '../../../parts/card.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useFocus } from '../../../parts/use-focus.ts';
import { useOrganization, useSession } from '../../../session/session.ts';
import { WeeklyMailCard } from './weekly-mail-card.tsx';
import { texts } from '../texts.ts';
import { SecondFactor } from './second-factor.tsx';
import { browserName } from './browser-name.ts';
import { factorTexts } from './factor-texts.ts';
import { atPassword } from './at-password.ts';
import classes from './sessions.module.css';

/** The page has settings of the person instead of the organization, with their sessions and their password. */
export function SessionsPage(): ReactNode {
  const say = useTexts(texts);
  const { user } = useSession();
  const isHeldBack = useOrganization().second_factor_required;
  return (
    <>
      <PageHeader
        title={say('account')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        description={say.rich('account_hint', { email: <b className="ltr">{user.email}</b> })}
      />
      <Sessions />
      <PasswordCard />
      <SecondFactor />
      {!isHeldBack && <WeeklyMailCard />}
    </>
  );
}

function Sessions(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const sessions = useRead('listSessions', {}, { every: 15_000 });
  const others = sessions.data?.data.some(({ current }) => !current);
  const heading = useRef<HTMLHeadingElement>(null);
  const { end, ending, endOthers, isEndingOthers, error } = useEndSessions(heading);
  return (
    <section aria-label={say('sessions')} className={classes.sessions}>
      <Group justify="space-between" align="flex-end" mb="sm">
        <div>
          <h2 ref={heading} tabIndex={-1} className={classes.heading}>
            {say('sessions')}
          </h2>
          <Text size="sm" c="dimmed">
            {say('sessions_hint')}
          </Text>
        </div>
        {others && (
          <Button variant="default" loading={isEndingOthers} onClick={endOthers}>
            {say('end_others')}
          </Button>
        )}
      </Group>
      {error && <ProblemAlert problem={error} />}
      <DataList
        label={say('sessions')}
        read={sessions}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          {
            id: 'browser',
            label: say('browser'),
            cell: ({ user_agent, current }) => (
              <Group gap={8}>
                <Text size="sm" fw={550} component="span" title={user_agent ?? undefined}>
                  {browserName(user_agent) ?? say('unknown_browser')}
                </Text>
                {current && <Badge>{say('this_session')}</Badge>}
              </Group>
            ),
          },
          { id: 'address', label: say('address'), cell: ({ address }) => <code>{address ?? '—'}</code> },
          { id: 'last_seen', label: say('last_seen'), cell: ({ last_seen_at }) => <Moment at={last_seen_at} /> },
          { id: 'signed_in', label: say('signed_in'), cell: ({ created_at }) => <Moment at={created_at} /> },
          {
            id: 'actions',
            label: sayCommon('actions'),
            hidden: true,
            align: 'end',
            cell: ({ id, current }) =>
              current ? null : (
                <Button size="compact-sm" variant="subtle" color="gray" loading={ending === id} onClick={() => end(id)}>
                  {say('end_session')}
                </Button>
              ),
          },
        ]}
      />
    </section>
  );
}

/** Ends sessions. The pressed button then no longer exists, so the focus moves to the heading. */
function useEndSessions(heading: RefObject<HTMLElement | null>) {
  const say = useTexts(texts);
  const focusOn = useFocus();
  const one = useAct('endSession', { refresh: ['listSessions'] });
  const others = useAct('endOtherSessions', { refresh: ['listSessions'] });
  const done = (word: 'ended' | 'ended_others') => ({
    onSuccess: () => {
      notifyDone(say(word));
      focusOn(() => heading.current);
    },
  });
  return {
    end: (session_id: string): void => one.mutate({ params: { session_id } }, done('ended')),
    ending: one.isPending ? one.variables.params.session_id : null,
    endOthers: (): void => others.mutate({}, done('ended_others')),
    isEndingOthers: others.isPending,
    error: one.error ?? others.error,
  };
}

function PasswordCard(): ReactNode {
  const say = useTexts(texts);
  const sayFactor = useTexts(factorTexts);
  const { user } = useSession();
  const change = useAct('changePassword', { refresh: ['listSessions'] });
  const form = useCheckedForm({ current_password: '', new_password: '' }, (common) => ({
    current_password: (value) => (value === '' ? common('required') : null),
    new_password: (value) => (value.length < 10 ? say('password_short') : null),
  }));
  const atField = (problem: Problem): Problem => atPassword(problem, 'current_password', sayFactor('password_wrong'));
  const elsewhere = form.unplaced(change.error && atField(change.error));
  const submit = form.submit((body) =>
    change.mutate(
      { body },
      {
        onSuccess: () => {
          form.reset();
          notifyDone(say('password_changed'));
        },
        onError: (problem) => form.place(atField(problem)),
      },
    ),
  );
  const toggle = { 'aria-label': say('show_password') };
  return (
    <form onSubmit={submit} noValidate>
      <Card
        title={say('password')}
        description={say('password_hint')}
        footer={
          <Button type="submit" variant="default" loading={change.isPending}>
            {say('change_password')}
          </Button>
        }
      >
        <Stack maw={420}>
          <input type="text" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordInput
            label={say('current_password')}
            autoComplete="current-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label={say('new_password')}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('new_password')}
          />
          {elsewhere && <ProblemAlert problem={elsewhere} />}
        </Stack>
      </Card>
    </form>
  );
}
