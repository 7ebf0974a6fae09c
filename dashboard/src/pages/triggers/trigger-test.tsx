import { Alert, Anchor, Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconCheck, IconSend, IconTestPipe } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { TriggerRecord } from '../../../../contract/dashboard/triggers.ts';
import type { AcceptedRun, DryRun, TriggerCall } from '../../../../contract/triggers.ts';
import { useAct } from '../../api/queries.ts';
import { utc } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { IdCode } from '../../parts/id-code.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { RunStatusBadge, useReasonText } from '../../parts/runs/run-status.tsx';
import { useStoredDraft } from '../../parts/use-stored-draft.ts';
import pageClasses from '../../parts/page.module.css';
import { exampleBody } from '../../parts/trigger-code.ts';
import { texts } from './texts.ts';
import classes from './triggers.module.css';

/** Calls the trigger with any body, as a real call or a dry run, and shows the result. */
export function TriggerTest({ item }: { item: TriggerRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const example = JSON.stringify(exampleBody(item.variables), null, 2);
  const [draft, setDraft] = useStoredDraft<{ base: string; body: string }>(`parley.trigger-test.${item.id}`, !may);
  const body = draft?.body ?? example;
  const [wrong, setWrong] = useState<string | null>(null);
  const test = useAct('testTrigger', { refresh: ['listTriggerRuns', 'listConversations', 'readOverview'] });
  if (!may) return null;
  const change = (next: string | null): void => {
    setDraft(next === null ? null : { base: example, body: next });
    setWrong(null);
  };
  const send = (dry: boolean): void => {
    const { dry_run: _, ...sent } = parse(body) ?? {};
    const fault = parseFault(body);
    setWrong(fault && say('bad_json', { detail: `\u2068${fault}\u2069` }));
    if (fault) return;
    test.mutate({
      params: { org_id, trigger_id: item.id },
      body: { ...(sent as TriggerCall), ...(dry && { dry_run: true }) },
    });
  };
  const dry = test.variables?.body?.dry_run === true;
  return (
    <div className={classes.section}>
      <Card title={say('test')} description={say('test_hint')}>
        <div className={classes.test}>
          <Stack gap="sm">
            <Textarea
              label={say('body')}
              className={classes.mono}
              autosize
              minRows={8}
              maxRows={18}
              spellCheck={false}
              value={body}
              error={wrong}
              onChange={(event) => change(event.currentTarget.value)}
            />
            <Group gap="xs">
              <Button
                variant="default"
                leftSection={<IconSend size={16} className="mirror" />}
                loading={test.isPending && !dry}
                disabled={test.isPending && dry}
                onClick={() => send(false)}
              >
                {say('send_test')}
              </Button>
              <Button
                variant="default"
                leftSection={<IconTestPipe size={16} />}
                loading={test.isPending && dry}
                disabled={test.isPending && !dry}
                onClick={() => send(true)}
              >
                {say('dry_run')}
              </Button>
              {draft !== null && (
                <Button variant="subtle" color="gray" onClick={() => change(null)}>
                  {say('body_reset')}
                </Button>
              )}
            </Group>
          </Stack>
          <div aria-live="polite">
            {test.error && <Refused error={test.error} />}
            {test.data && ('dry_run' in test.data ? <Dry answer={test.data} /> : <Accepted answer={test.data} />)}
          </div>
        </div>
      </Card>
    </div>
  );
}

function Refused({ error }: { error: NonNullable<ReturnType<typeof useAct<'testTrigger'>>['error']> }): ReactNode {
  return (
    <>
      <ProblemAlert problem={error} />
      {error.faults.length > 0 && (
        <ul className={classes.faults}>
          {error.faults.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code>{pointer || '/'}</code> <bdi>{detail}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Accepted({ answer }: { answer: AcceptedRun }): ReactNode {
  const say = useTexts(texts);
  return (
    <Alert color="blue" icon={<IconCheck size={18} />}>
      <Stack gap={8}>
        <Text size="sm" component="div">
          {say.rich('accepted', { status: <RunStatusBadge status={answer.status} /> })}
        </Text>
        <IdCode id={answer.id} />
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              to="/conversations/$conversation_id"
              params={{ conversation_id: answer.conversation_id }}
              {...props}
            />
          )}
        >
          {say('to_conversation')}
        </Anchor>
      </Stack>
    </Alert>
  );
}

function Dry({ answer }: { answer: DryRun }): ReactNode {
  const say = useTexts(texts);
  const reason = useReasonText();
  const { recipient, conversation, opening, variables } = answer;
  return (
    <div className={classes.result}>
      <Group gap="xs">
        <b>{say('dry_title')}</b>
        <Badge color="blue">{say('dry_run')}</Badge>
      </Group>
      <Text size="sm" mt={6}>
        {answer.skip_reason
          ? say('dry_skipped', { reason: reason(answer.skip_reason) })
          : `${say(`dry_${conversation.would}`)} ${say(recipient.would_create ? 'dry_new_person' : 'dry_known_person')}.`}
      </Text>
      <dl>
        {recipient.end_user_id && (
          <>
            <dt>{say('recipient')}</dt>
            <dd>
              <Link
                to="/end-users/$end_user_id"
                params={{ end_user_id: recipient.end_user_id }}
                className={`ltr ${pageClasses.link}`}
              >
                {recipient.end_user_id}
              </Link>
            </dd>
          </>
        )}
        <dt>{say('over_channel')}</dt>
        <dd>
          <code>{answer.channel_kind}</code>
        </dd>
        {recipient.address && (
          <>
            <dt>{say('to_address')}</dt>
            <dd>
              <code>{recipient.address}</code>
            </dd>
          </>
        )}
        <dt>{say('opening')}</dt>
        <dd dir="auto">{opening ?? say('opening_model')}</dd>
        {Object.keys(variables).length > 0 && (
          <>
            <dt>{say('with_variables')}</dt>
            <dd>
              <code>{JSON.stringify(variables)}</code>
            </dd>
          </>
        )}
        {answer.send_at && (
          <>
            <dt>{say('sent_at')}</dt>
            <dd className="ltr">{utc(answer.send_at)}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** An empty body is valid for the call. */
function parse(text: string): Record<string, unknown> | null {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return null;
  }
}

function parseFault(text: string): string | null {
  try {
    if (text.trim() === '') return null;
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : '{ … }';
  } catch (error) {
    return (error as Error).message;
  }
}
