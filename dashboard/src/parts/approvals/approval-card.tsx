import { Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ApprovalRecord } from '../../../../contract/approvals.ts';
import { type ApprovalDecision, MAX_REASON_CHARACTERS } from '../../../../contract/approval-limits.ts';
import type { ApprovalEntry } from '../../../../contract/dashboard/approvals.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { Moment, Until } from '../moment.tsx';
import { useMemberNames } from '../use-record-names.ts';
import { notifyDone } from '../notify.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { shownText, shownValue } from './shown-text.ts';
import { texts } from './texts.ts';
import classes from './approvals.module.css';

type Props = { approval: ApprovalEntry; onDecided?: () => void };

/** The card shows a tool call with its arguments, and the decision or the buttons for it. */
export function ApprovalCard({ approval, onDecided }: Props): ReactNode {
  const say = useTexts(texts);
  const may = useMay('member');
  const isPending = approval.status === 'pending';
  return (
    <section className={classes.card} data-status={approval.status} data-approval={approval.id}>
      <Group justify="space-between" gap="xs">
        <h3>{say.rich('title', { tool: <code>{approval.tool}</code> })}</h3>
        <ApprovalStatus status={approval.status} />
      </Group>
      <Arguments given={approval.arguments} />
      {!isPending && <Decision approval={approval} />}
      {isPending && (
        <Text size="xs" c="dimmed">
          {say.rich('expires', { when: <Until at={approval.expires_at} /> })}
        </Text>
      )}
      {isPending && (may ? <Decide id={approval.id} onDecided={onDecided} /> : <Text size="sm">{say('viewer')}</Text>)}
    </section>
  );
}

const COLORS: Record<ApprovalRecord['status'], string> = { pending: 'orange', approved: 'green', denied: 'gray' };

export function ApprovalStatus({ status }: { status: ApprovalRecord['status'] }): ReactNode {
  const say = useTexts(texts);
  return (
    <Badge color={COLORS[status]} miw="max-content">
      {say(`status_${status}`)}
    </Badge>
  );
}

function Arguments({ given }: { given: Record<string, unknown> }): ReactNode {
  const say = useTexts(texts);
  const entries = Object.entries(given);
  if (entries.length === 0) return <Text size="sm">{say('no_arguments')}</Text>;
  return (
    <dl className={classes.arguments} tabIndex={0}>
      {entries.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>
            <code>{shownText(name)}</code>
          </dt>
          <dd>
            <bdi>{shownValue(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows the member who decided, the reason, and the outcome of the call. */
function Decision({ approval }: { approval: ApprovalEntry }): ReactNode {
  const say = useTexts(texts);
  const { status, reason, decided_at: at, outcome, decided_by: by } = approval;
  return (
    <div>
      <Text size="sm" component="div">
        <DecidedBy approval={approval} /> {at && <Moment at={at} />}
      </Text>
      {reason !== null && by !== 'system' && (
        <Text size="sm" dir="auto">
          {reason}
        </Text>
      )}
      {status === 'approved' && (
        <Text size="sm" c={outcome?.error ? 'red' : 'dimmed'} dir="auto">
          {outcome === null
            ? say('call_waits')
            : outcome.error === null
              ? say('call_made')
              : say('call_failed', { error: outcome.error })}
        </Text>
      )}
    </div>
  );
}

export function DecidedBy({ approval }: { approval: ApprovalEntry }): ReactNode {
  const say = useTexts(texts);
  const people = useMemberNames();
  const { status, reason, decided_by: by } = approval;
  if (status === 'pending' || by === null) return null;
  if (by === 'system') {
    const known = `why_${reason}`;
    return say('denied_alone', { why: known in texts.en ? say(known as keyof typeof texts.en) : (reason ?? '') });
  }
  const who = by.startsWith('key_') ? say('an_api_key') : (people(by) ?? say('someone'));
  return say.rich(status === 'approved' ? 'approved_by' : 'denied_by', { who: <bdi>{who}</bdi> });
}

function Decide({ id, onDecided }: { id: string; onDecided: (() => void) | undefined }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [reason, setReason] = useState('');
  const decide = useAct('decideApproval', { refresh: ['listApprovals', 'readConversation', 'countConversations'] });
  const act = async (decision: ApprovalDecision): Promise<void> => {
    const why = reason.trim();
    const body = { decision, ...(why !== '' && { reason: why }) };
    try {
      // The callbacks of `mutate` are not called if a list was read again first, because the buttons then disappear.
      const { status } = await decide.mutateAsync({ params: { org_id, approval_id: id }, body });
      notifyDone(say(status === 'approved' ? 'approved' : 'denied'));
      onDecided?.();
    } catch {
      // The problem is shown below the buttons.
    }
  };
  const chosen = decide.isPending ? decide.variables.body?.decision : undefined;
  return (
    <>
      <div className={classes.decide}>
        <TextInput
          className={classes.reason}
          label={say('reason')}
          description={say('reason_hint')}
          maxLength={MAX_REASON_CHARACTERS}
          dir="auto"
          autoComplete="off"
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group gap="xs" wrap="nowrap">
          <Button
            leftSection={<IconCheck size={16} />}
            loading={chosen === 'approve'}
            disabled={decide.isPending}
            onClick={() => void act('approve')}
          >
            {say('approve')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconX size={16} />}
            loading={chosen === 'deny'}
            disabled={decide.isPending}
            onClick={() => void act('deny')}
          >
            {say('deny')}
          </Button>
        </Group>
      </div>
      {decide.error && <ProblemAlert problem={decide.error} />}
    </>
  );
}
